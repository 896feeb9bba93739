/** Fails if the texts of the tables are not the output of their generator, judged by the hashes in the manifest. Needs no Go. */
import { currentManifest, manifestFaults, recordedManifest } from './manifest.ts'

const [fault, ...others] = manifestFaults(recordedManifest(), currentManifest())
if (fault !== undefined) {
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  console.error(`catalogue: ${fault}${more} Run: node scripts/catalog/generate.ts`)
  process.exit(1)
}
