/** `edgeplane at`, `edgeplane diff` and `edgeplane undo`: the past of clusters. */
import type { Command, Values } from '../command-line.ts'
import type { Context } from '../context.ts'
import { LauncherError } from '../launcher-error.ts'
import { serverOptions, withServer } from '../server-options.ts'
import { readTime } from '../time.ts'

async function runAt(values: Values, context: Context): Promise<number> {
  const { connectionAt } = await import('./moment.ts')
  const { runAt: run } = await import('./at.ts')
  if (values.words.length === 0) throw new LauncherError('A program is missing: edgeplane at TIME -- kubectl get pods.')
  const time = readTime(values.argument, Date.now())
  return withServer(values, context, (api) => run(connectionAt(api.connection, time), values.words))
}

async function runDiff(values: Values, context: Context): Promise<number> {
  const { readMoment, withMoment } = await import('./moment.ts')
  const { changesBetween } = await import('./changes.ts')
  const { printDiff, printManifests } = await import('./diff.ts')
  const now = Date.now()
  const [before, after] = [values.argument, values.secondArgument].map((text) => readMoment(text, now))
  if (before === undefined || after === undefined) return 0
  const changes = await withServer(values, context, (api) =>
    withMoment(api, before, (first) => withMoment(api, after, (second) => changesBetween(first, second))),
  )
  return values.text('output') === 'manifests' ? printManifests(changes, context.print) : printDiff(changes, context.print)
}

/** Reads `a=b,c=d`. @throws LauncherError for other selectors */
function labelsIn(selector: string): Readonly<Record<string, string>> {
  const terms = selector === '' ? [] : selector.split(',').map((term) => /^([^=!\s]+)==?([^=!\s]*)$/.exec(term))
  if (terms.some((term) => term === null))
    throw new LauncherError(`"${selector}" is no selector of the form name=value,name=value.`)
  return Object.fromEntries(terms.map((term) => [term?.[1] ?? '', term?.[2] ?? '']))
}

async function runUndo(values: Values, context: Context): Promise<number> {
  const { withMoment } = await import('./moment.ts')
  const { changesBetween } = await import('./changes.ts')
  const { isSelected, undo } = await import('./undo.ts')
  const to = values.text('to')
  if (to === undefined) throw new LauncherError('A time is missing: edgeplane undo --to -5m.')
  const selection = { namespace: values.text('namespace'), labels: labelsIn(values.text('selector') ?? '') }
  const time = readTime(to, Date.now())
  return withServer(values, context, async (api) => {
    const all = await withMoment(api, { cluster: '', time }, (before) => changesBetween(before, api))
    const changes = all.filter((change) => isSelected(change, selection))
    const tried = await undo(api, changes, 'try')
    const isWritten = values.has('yes')
    const { written, impossible } = isWritten ? await undo(api, changes, 'write') : tried
    for (const line of written) context.print(`${line}\n`)
    for (const line of impossible) context.print(`impossible: ${line}\n`)
    const note = isWritten ? `${written.length} objects are as they were at ${time}` : 'nothing was written; --yes writes'
    context.print(`edgeplane: ${note}\n`)
    return impossible.length === 0 ? 0 : 1
  })
}

export const pastCommands: readonly Command<Context>[] = [
  {
    name: 'at',
    summary: 'run a program with the cluster as it was at TIME, such as -5m: edgeplane at -5m -- kubectl get pods',
    argument: { value: 'TIME' },
    words: 'COMMAND',
    options: serverOptions,
    run: runAt,
  },
  {
    name: 'diff',
    summary: 'print the differences of two clusters or times, each NAME[@TIME]; . is the one of the kubeconfig',
    argument: { value: 'BEFORE' },
    secondArgument: { value: 'AFTER', optional: true },
    options: [
      {
        name: 'output',
        value: 'FORM',
        choices: ['diff', 'manifests'],
        help: ['as kubectl diff prints them (default), or the later objects'],
      },
      ...serverOptions,
    ],
    run: runDiff,
  },
  {
    name: 'undo',
    summary: 'write objects as they were at a time; without --yes, only say what would be written',
    options: [
      { name: 'to', value: 'TIME', help: ['a time in RFC 3339, or a duration before now such as -5m'] },
      { name: 'namespace', value: 'NAME', help: ['only the objects of a namespace'] },
      { name: 'selector', value: 'LABELS', help: ['only objects with these labels: name=value,name=value'] },
      { name: 'yes', help: ['write'] },
      ...serverOptions,
    ],
    run: runUndo,
  },
]
