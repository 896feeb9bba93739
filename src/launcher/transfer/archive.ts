/** Restores the archive of one cluster in another one: the names of the Durable Objects begin with the cluster's. */
import { createHash } from 'node:crypto'
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Api } from '../api.ts'
import { linesOf } from '../backup/archive.ts'
import { checkBackup, restore } from '../backup/restore.ts'
import { LauncherError } from '../launcher-error.ts'

const clusterOf = (name: string): string => name.split('/', 1)[0] ?? ''

/** Writes an archive whose sections have the names of another cluster. Its lines are otherwise the same. */
async function rename(file: string, to: string, cluster: string): Promise<void> {
  const descriptor = openSync(to, 'wx', 0o600)
  let hash = createHash('sha256')
  const renamed = (line: string): string => {
    if (!line.startsWith('{"section":') && !line.startsWith('{"end":')) return line
    const fields = JSON.parse(line) as { section?: string; end?: string; sha256?: string }
    if (fields.end === 'backup') return line
    const [key, name = ''] =
      fields.section === undefined ? (['end', fields.end] as const) : (['section', fields.section] as const)
    const other = cluster + name.slice(clusterOf(name).length)
    if (key === 'end') return JSON.stringify({ ...fields, end: other, sha256: hash.digest('hex') })
    hash = createHash('sha256')
    return JSON.stringify({ ...fields, section: other })
  }
  try {
    for await (const line of linesOf(createReadStream(file) as AsyncIterable<Uint8Array>)) {
      const written = `${renamed(line)}\n`
      if (!line.startsWith('{"end":')) hash.update(written)
      writeSync(descriptor, written)
    }
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Restores an archive, whatever the name of its cluster. Returns the number of its objects.
 * @param mode `empty` refuses a cluster that is used
 * @throws LauncherError if the archive is torn, or is of a cluster with another placement
 */
export async function importArchive(api: Api, file: string, mode: 'empty' | 'replace'): Promise<number> {
  const original = await checkBackup(file)
  const { names } = await api.json<{ names: readonly string[] }>('/edgeplane/v1/objects')
  const cluster = clusterOf(names.at(-1) ?? '')
  const folder = mkdtempSync(join(tmpdir(), 'edgeplane-import-'))
  try {
    const own = join(folder, 'archive')
    await rename(file, own, cluster)
    const summary = await checkBackup(own)
    await requirePlacement(api, original.sections.length)
    await restore(api, own, summary, mode)
    return summary.sections.reduce((sum, { objects }) => sum + objects, 0)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A cluster in one Durable Object has one section. */
async function requirePlacement(api: Api, sections: number): Promise<void> {
  const { names } = await api.json<{ names: readonly string[] }>('/edgeplane/v1/objects')
  if (names.length > 1 === sections > 1) return
  throw new LauncherError(
    'The archive is of a cluster with another placement: import it into one with the same, or export manifests instead.',
  )
}
