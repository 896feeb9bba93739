// Writes src/catalog/descriptions/texts.ts: Kubernetes' descriptions of types, fields and request parameters. The texts come from
// installed packages, are compressed, and are not committed. Used as a program (after an installation, before checks) and by the
// build and the tests; it writes only if something has changed.

import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { deflateRawSync } from 'node:zlib'
import { modelPackages, modelTexts, quantityTexts } from './descriptions/models.mjs'
import { optionTexts } from './descriptions/options.mjs'
import { installedPackage } from './descriptions/packages.mjs'

const own = fileURLToPath(import.meta.url)
const root = dirname(dirname(own))
const target = join(root, 'src', 'catalog', 'descriptions', 'texts.ts')
const servedTables = join(root, 'src', 'catalog', 'generated', 'served.ts')
const unservedTables = join(root, 'src', 'catalog', 'generated', 'unserved.ts')

/**
 * Makes sure that the texts are present and match the installed packages. The texts of a package that is not installed are
 * omitted, and descriptions are then empty.
 */
export function generate() {
  const models = modelPackages()
  const quantity = installedPackage('kubernetes-types')
  const options = installedPackage('@kubernetes/client-node')
  const packages = [...models, quantity, options].filter((found) => found !== undefined)
  const marks = packages.map(({ name, version }) => `${name}@${version}`)
  const header = `// Written by scripts/descriptions.mjs: ${[...marks, sourcesHash()].join(' ')}`
  if (headerOf(target) === header) return
  for (const [name, found] of [
    ['kubernetes-models', models[0]],
    ['kubernetes-types', quantity],
    ['@kubernetes/client-node', options],
  ]) {
    if (found === undefined) console.error(`${name} is not installed: the descriptions in it are left out`)
  }
  const [served, unserved] = [servedTables, unservedTables].map((file) => readFileSync(file, 'utf8'))
  const texts = merged([
    modelTexts(models, served, unserved),
    quantity ? quantityTexts(quantity) : {},
    options ? optionTexts(options) : {},
  ])
  mkdirSync(dirname(target), { recursive: true })
  // Another build may be writing the file at the same time.
  const temporary = `${target}.${process.pid}.tmp`
  writeFileSync(temporary, `${header}\nexport const texts: Readonly<Record<string, string>> = ${texts}\n`)
  renameSync(temporary, target)
}

/** Returns the hash of everything besides the packages that determines the texts. */
function sourcesHash() {
  const folder = join(dirname(own), 'descriptions')
  const parts = readdirSync(folder).filter((name) => name.endsWith('.mjs'))
  const files = [own, servedTables, unservedTables, ...parts.map((name) => join(folder, name))]
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(file))
  return hash.digest('hex')
}

function headerOf(file) {
  try {
    return readFileSync(file, 'utf8').split('\n', 1)[0]
  } catch {
    return undefined
  }
}

/**
 * Merges the texts: by package and version, the JSON of each type's texts by field; the type's own text has the key ''. Each JSON
 * is compressed separately: the needed ones are unpacked and parsed, and the rest keeps a fifth of its size. A server holds
 * several copies of it.
 */
function merged(sources) {
  const byPackage = {}
  for (const source of sources) {
    for (const [name, types] of Object.entries(source)) byPackage[name] = { ...byPackage[name], ...types }
  }
  const texts = Object.entries(byPackage).map(([name, types]) => [name, compressed(JSON.stringify(types))])
  return JSON.stringify(Object.fromEntries(texts), undefined, 2)
}

const compressed = (text) => deflateRawSync(text, { level: 9 }).toString('base64')

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) generate()
