/** `edgeplane export` and `edgeplane import`. */
import { closeSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command, Values } from '../command-line.ts'
import type { Context } from '../context.ts'
import { LauncherError } from '../launcher-error.ts'
import { serverOptions, withServer } from '../server-options.ts'
import type { ImportSummary } from './import.ts'

async function runExport(values: Values, context: Context): Promise<number> {
  const archive = values.text('archive')
  if ((archive === undefined) === (values.argument === '')) {
    throw new LauncherError('Name either a directory for manifests, or a file with --archive: see `edgeplane export --help`.')
  }
  if (archive !== undefined) return exportArchive(archive, values, context)
  const { exportManifests } = await import('./export.ts')
  const directory = resolve(context.directory, values.argument)
  const count = await withServer(values, context, (api) => exportManifests(api, directory, { secrets: values.has('secrets') }))
  context.print(`edgeplane: ${count} objects are in ${values.argument}\n`)
  return 0
}

async function exportArchive(archive: string, values: Values, context: Context): Promise<number> {
  const { writeBackup } = await import('../backup/backup.ts')
  const summary = await withServer(values, context, (api) => writeBackup(api, resolve(context.directory, archive)))
  const count = summary.sections.reduce((sum, { objects }) => sum + objects, 0)
  context.print(`edgeplane: ${count} objects are in ${archive}\n\n  It contains Secrets and the keys that sign tokens.\n`)
  return 0
}

/** Whether a file begins as an archive does. */
function isArchive(file: string): boolean {
  const start = Buffer.alloc(10)
  try {
    const descriptor = openSync(file, 'r')
    try {
      readSync(descriptor, start)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return false
  }
  return start.toString() === '{"backup":'
}

async function runImport(values: Values, context: Context): Promise<number> {
  const from = values.text('from-kubeconfig')
  if ((from === undefined) === (values.argument === '')) {
    throw new LauncherError(
      'Name either a file or directory, or a cluster with --from-kubeconfig: see `edgeplane import --help`.',
    )
  }
  const path = resolve(context.directory, values.argument)
  if (from === undefined && isArchive(path)) {
    const { importArchive } = await import('./archive.ts')
    const count = await withServer(values, context, (api) =>
      importArchive(api, path, values.has('replace') ? 'replace' : 'empty'),
    )
    context.print(`edgeplane: ${count} objects were imported\n`)
    return 0
  }
  const objects = from === undefined ? (await import('./read.ts')).readManifests(path) : await objectsFrom(from, values, context)
  const { importObjects } = await import('./import.ts')
  context.print(summaryText(await withServer(values, context, (api) => importObjects(api, objects))))
  return 0
}

/** Reads the objects of another cluster, which is not changed. */
async function objectsFrom(from: string, values: Values, { directory }: Context) {
  const { Api } = await import('../api.ts')
  const { objectsOf } = await import('./source.ts')
  const source = await Api.of(resolve(directory, from), { context: values.text('from-context') })
  try {
    return await objectsOf(source, { secrets: true })
  } finally {
    source.close()
  }
}

function summaryText({ objects, missingOwners, ofDeployment }: ImportSummary): string {
  const [first, ...more] = missingOwners
  const others = more.length === 0 ? '' : ` and ${more.length} others`
  const note = first === undefined ? '' : `\n  Without their owners, which do not exist here: those of ${first}${others}.\n`
  const left = ofDeployment === 0 ? '' : `\n  Left out, because they belong to a deployment: ${ofDeployment} objects.\n`
  return `edgeplane: ${objects} objects were imported\n${note}${left}`
}

export const transferCommands: readonly Command<Context>[] = [
  {
    name: 'export',
    summary: 'write the objects of a cluster to DIR as manifests, or everything to an archive',
    argument: { value: 'DIR', optional: true },
    options: [
      { name: 'archive', value: 'FILE', help: ['everything in one file: uids, versions, managed fields, Secrets'] },
      { name: 'secrets', help: ['write Secrets to DIR, too'] },
      ...serverOptions,
    ],
    run: runExport,
  },
  {
    name: 'import',
    summary: 'apply manifests, an archive, or the objects of another cluster',
    argument: { value: 'FILE', optional: true },
    options: [
      { name: 'from-kubeconfig', value: 'FILE', help: ['the cluster to copy; it is only read'] },
      { name: 'from-context', value: 'NAME', help: ['the context of that kubeconfig (default: its current one)'] },
      { name: 'replace', help: ['with an archive: delete what the cluster holds now'] },
      ...serverOptions,
    ],
    run: runImport,
  },
]
