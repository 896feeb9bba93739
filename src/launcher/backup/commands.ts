/** The commands that back up and restore a cluster. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Command, Values } from '../command-line.ts'
import type { Context } from '../context.ts'
import { LauncherError } from '../launcher-error.ts'
import { serverOptions, withServer } from '../server-options.ts'

/** Returns the bucket and the key of `r2://BUCKET/KEY`; undefined for a file. @throws LauncherError if a part is missing */
function bucketObject(text: string): string | undefined {
  if (!text.startsWith('r2://')) return undefined
  const place = text.slice('r2://'.length)
  if (/^[a-z0-9-]+\/.+$/.test(place)) return place
  throw new LauncherError(`An object in R2 is r2://BUCKET/KEY, not "${text}".`)
}

/** Calls a function with a file in a new directory, which is removed afterwards. */
async function withTemporaryFile<T>(use: (file: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'edgeplane-backup-'))
  try {
    return await use(join(folder, 'backup'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runBackup(values: Values, context: Context): Promise<number> {
  const place = bucketObject(values.argument)
  const { writeBackup } = await import('./backup.ts')
  const summary = await withServer(values, context, async (api) => {
    if (place === undefined) {
      return writeBackup(api, values.argument === '-' ? '-' : resolve(context.directory, values.argument))
    }
    return withTemporaryFile(async (file) => {
      const { runWrangler } = await import('../cloudflare/wrangler.ts')
      const written = await writeBackup(api, file)
      await runWrangler(['r2', 'object', 'put', place, '--file', file, '--remote'])
      return written
    })
  })
  const objects = summary.sections.reduce((sum, section) => sum + section.objects, 0)
  const note = `edgeplane: ${objects} objects of ${summary.sections.length} collections are in ${values.argument}\n`
  if (values.argument === '-') process.stderr.write(note)
  else context.print(`${note}\n  It contains Secrets and the keys that sign tokens: keep it as you keep those.\n`)
  return 0
}

async function runRestore(values: Values, context: Context): Promise<number> {
  const place = bucketObject(values.argument)
  if (place === undefined) return restoreFrom(values, context, resolve(context.directory, values.argument))
  return withTemporaryFile(async (file) => {
    const { runWrangler } = await import('../cloudflare/wrangler.ts')
    await runWrangler(['r2', 'object', 'get', place, '--file', file, '--remote'])
    return restoreFrom(values, context, file)
  })
}

async function restoreFrom(values: Values, context: Context, file: string): Promise<number> {
  const { checkBackup, restore } = await import('./restore.ts')
  const summary = await checkBackup(file)
  const mode = values.has('replace') ? 'replace' : 'empty'
  const clusters = values.has('unsigned-clusters') ? 'unsigned' : 'signed'
  const objects = await withServer(values, context, (api) => restore(api, file, summary, { mode, clusters }))
  context.print(`edgeplane: ${objects} objects were restored, as they were at ${new Date(summary.takenAt).toISOString()}\n`)
  return 0
}

async function runRecover(values: Values, context: Context): Promise<number> {
  const { readTime, recover } = await import('./recover.ts')
  const text = values.text('at')
  if (text === undefined) throw new LauncherError('--at is missing: see `edgeplane recover --help`.')
  const at = readTime(text, Date.now())
  const count = await withServer(values, context, (api) => recover(api, at))
  context.print(`edgeplane: ${count} collections are as they were at ${new Date(at).toISOString()}\n`)
  return 0
}

export const backupCommands: readonly Command<Context>[] = [
  {
    name: 'backup',
    summary: 'write the whole cluster to FILE, to r2://BUCKET/KEY or to - (the standard output)',
    argument: { value: 'FILE' },
    options: serverOptions,
    run: runBackup,
  },
  {
    name: 'restore',
    summary: 'restore a backup from FILE or r2://BUCKET/KEY',
    argument: { value: 'FILE' },
    options: [
      ...serverOptions,
      { name: 'replace', help: ['delete what the cluster holds now'] },
      {
        name: 'unsigned-clusters',
        help: ['restore Cluster objects that this deployment has not signed: only from a', 'backup that you have made yourself'],
      },
    ],
    run: runRestore,
  },
  {
    name: 'recover',
    summary: 'take a cluster on Cloudflare back to a time of the last 30 days',
    options: [...serverOptions, { name: 'at', value: 'TIME', help: ['such as 2026-11-22T21:00:00Z'] }],
    run: runRecover,
  },
]
