/** Fails if the generated catalogue is not the output of its generator, judged by the hashes in the manifest. Needs no Go. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generatedFiles, generatedFolder, hash, type Manifest, manifestFaults, manifestFile, sourceHashes } from './manifest.ts'

function readManifest(): Manifest {
  try {
    return JSON.parse(readFileSync(join(generatedFolder, manifestFile), 'utf8'))
  } catch {
    return { modules: {}, sources: {}, files: {} }
  }
}

const files = Object.fromEntries(generatedFiles().map((name) => [name, hash(readFileSync(join(generatedFolder, name)))]))
const [fault, ...others] = manifestFaults(readManifest(), sourceHashes(), files)
if (fault !== undefined) {
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  console.error(`catalogue: ${fault}${more} Run: node scripts/catalog/generate.ts`)
  process.exit(1)
}
