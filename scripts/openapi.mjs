// Writes src/http/openapi/hashes.ts: the hashes of the OpenAPI documents, so that a server can publish them without building the
// documents. It bundles and runs the code that builds the documents, so that it works with every Node version that esbuild
// supports. Used as a program (after an installation, before checks) and by the build and the tests; it writes only if something
// has changed.

import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { generate as generateDescriptions } from './descriptions.mjs'
import { generate as generateRelease } from './release.mjs'
import { generate as generateTables } from './tables.mjs'
import { generate as generateValidators } from './validators.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = join(root, 'src', 'http', 'openapi')
const target = join(folder, 'hashes.ts')

/** Makes sure that the hashes are present and match the documents. */
export async function generate() {
  // The first one: the others read the tables.
  await generateTables()
  generateDescriptions()
  await generateValidators()
  await generateHashes()
  // The last one: it is a hash of all others.
  generateRelease()
}

async function generateHashes() {
  const code = await bundle()
  const header = `// Written by scripts/openapi.mjs: ${createHash('sha256').update(code).digest('hex')}`
  if (headerOf(target) === header) return
  const hashes = JSON.stringify(await hashesOf(code), undefined, 2)
  const temporary = `${target}.${process.pid}.tmp`
  writeFileSync(temporary, `${header}\nimport type { Hashes } from './documents.ts'\n\nexport const hashes: Hashes = ${hashes}\n`)
  renameSync(temporary, target)
}

async function bundle() {
  const { build } = await import('esbuild')
  const contents = `export { served, typeTables } from '../../catalog/generated/served.ts'
export { OpenApiDocuments } from './documents.ts'`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2024',
    write: false,
    logLevel: 'error',
  })
  return outputFiles[0].contents
}

/** Returns the hashes by the documents' paths under /openapi. */
async function hashesOf(code) {
  const module = await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)
  const documents = module.OpenApiDocuments.of(module.served, module.typeTables, {})
  const hashes = { v2: await documents.whole().hash() }
  for (const name of documents.names()) hashes[`v3/${name}`] = await documents.part(name).hash()
  return hashes
}

function headerOf(file) {
  try {
    return readFileSync(file, 'utf8').split('\n', 1)[0]
  } catch {
    return undefined
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await generate()
