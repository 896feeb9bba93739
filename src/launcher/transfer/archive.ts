/** Restores the archive of one cluster in another one. */
import type { Api } from '../api.ts'
import { checkBackup, restore } from '../backup/restore.ts'
import { LauncherError } from '../launcher-error.ts'

/**
 * Restores an archive, whatever the name of its cluster. Returns the number of its objects.
 * @param mode `empty` refuses a cluster that is used
 * @throws LauncherError if the archive is torn, or is of a cluster with another placement
 */
export async function importArchive(api: Api, file: string, mode: 'empty' | 'replace'): Promise<number> {
  const summary = await checkBackup(file)
  await requirePlacement(api, summary.sections.length)
  return restore(api, file, summary, { mode, clusters: 'signed' })
}

/** A cluster in one Durable Object has one section. */
async function requirePlacement(api: Api, sections: number): Promise<void> {
  const { names } = await api.json<{ names: readonly string[] }>('/edgeplane/v1/objects')
  if (names.length > 1 === sections > 1) return
  throw new LauncherError(
    'The archive is of a cluster with another placement: import it into one with the same, or export manifests instead.',
  )
}
