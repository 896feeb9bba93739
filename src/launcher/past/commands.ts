/** `edgeplane at`, `edgeplane diff` and `edgeplane undo`: the past of clusters. */
import type { Command, Values } from '../command-line.ts'
import type { Context } from '../context.ts'
import { LauncherError } from '../launcher-error.ts'
import { serverOptions, withServer } from '../server-options.ts'
import { readTime } from '../time.ts'
import type { Change } from './changes.ts'
import type { Undone } from './undo.ts'

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

/** The options of `undo` that choose a server and objects, in the order in which they are printed. */
const choices = ['kubeconfig', 'context', 'server', 'data-dir', 'namespace', 'selector']

/** Returns a word as a shell reads it. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/** Returns the command that writes what was shown, and nothing else. */
function writingCommand(values: Values, time: string, plan: string): string {
  const chosen = choices.flatMap((name) => {
    const value = values.text(name)
    return value === undefined ? [] : [`--${name}`, value]
  })
  return ['edgeplane', 'undo', '--to', time, ...chosen, '--yes', '--plan', plan].map(quoted).join(' ')
}

/** Prints what an undo would write. */
async function showUndo(
  { written, impossible }: Undone,
  changes: readonly Change[],
  command: string,
  print: Context['print'],
): Promise<void> {
  const { printDiff } = await import('./diff.ts')
  printDiff(
    changes.map((change) => ({ before: change.after, after: change.before }) as Change),
    print,
  )
  for (const line of written) print(`${line}\n`)
  for (const line of impossible) print(`impossible: ${line}\n`)
  if (written.length === 0) print('edgeplane: there is nothing to write\n')
  else
    print(`edgeplane: nothing was written. This command writes it, unless anything of it has changed by then:\n\n  ${command}\n`)
}

async function runUndo(values: Values, context: Context): Promise<number> {
  const { withMoment } = await import('./moment.ts')
  const { changesBetween } = await import('./changes.ts')
  const { isSelected, planOf, undo } = await import('./undo.ts')
  const to = values.text('to')
  if (to === undefined) throw new LauncherError('A time is missing: edgeplane undo --to -5m.')
  const selection = { namespace: values.text('namespace'), labels: labelsIn(values.text('selector') ?? '') }
  const time = readTime(to, Date.now())
  return withServer(values, context, async (api) => {
    const all = await withMoment(api, { cluster: '', time }, (before) => changesBetween(before, api))
    const changes = all.filter((change) => isSelected(change, selection))
    const plan = planOf(changes)
    const isOther = (values.text('plan') ?? plan) !== plan
    if (!values.has('yes') || isOther) {
      const tried = await undo(api, changes, 'try')
      if (isOther) context.print('edgeplane: the cluster has changed since this undo was shown. It would be another one now:\n\n')
      await showUndo(tried, changes, writingCommand(values, time, plan), context.print)
      return isOther || tried.impossible.length > 0 ? 1 : 0
    }
    const { written, impossible } = await undo(api, changes, 'write')
    for (const line of written) context.print(`${line}\n`)
    for (const line of impossible) context.print(`impossible: ${line}\n`)
    context.print(`edgeplane: ${written.length} objects are as they were at ${time}\n`)
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
      {
        name: 'plan',
        value: 'HASH',
        help: ['write only what was shown with this hash, and nothing if it would be', 'anything else'],
      },
      ...serverOptions,
    ],
    run: runUndo,
  },
]
