/** Checks a directory of manifests, one file after the other. */
import { relative } from 'node:path'
import type { ReportCollector } from '../../migration/collect.ts'
import { usesOfManifest } from '../../migration/uses.ts'
import { LauncherError } from '../launcher-error.ts'
import { manifestFiles, objectsOfFile } from '../transfer/read.ts'

/**
 * Checks the manifests in a file, or in all YAML and JSON files of a directory. Files that hold no objects, such as the values and
 * the templates of a chart, are named in the report.
 * @throws LauncherError if there is no such file or directory
 */
export function checkManifests(path: string, collector: ReportCollector): void {
  for (const file of manifestFiles(path, 'checked')) {
    const name = relative(path, file) || path
    try {
      for (const manifest of objectsOfFile(file, 'checked')) {
        const { uses, mended } = usesOfManifest(manifest, collector.removals)
        collector.add(manifest, { resource: '', file: name, mended }, uses)
      }
    } catch (error) {
      if (!(error instanceof LauncherError)) throw error
      collector.addUnread(name, error.message)
    }
  }
}
