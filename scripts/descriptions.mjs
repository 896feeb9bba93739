// Writes src/catalog/descriptions/texts.ts: what Kubernetes says of its types and their fields. The texts come from the installed
// package kubernetes-models, whose declarations carry those of the API's OpenAPI unchanged, and are not committed. Used as a
// program (after an installation, before checks) and by the build and the tests; it writes only where something has changed.

import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const target = join(root, 'src', 'catalog', 'descriptions', 'texts.ts')
const servedTables = join(root, 'src', 'catalog', 'generated', 'served.ts')

/** Versions that are not served any more, whose texts columns of Tables still carry. */
const former = ['certificates/v1beta1', 'rbac/v1beta1']

/** Where types stand that are not of k8s.io/api, by how the package's names of them begin. */
const elsewhere = [
  [/^K8sApimachineryPkgApisMeta(V1)(\w+)$/, 'meta'],
  [/^K8sApiextensionsApiserverPkgApisApiextensions(V1)(\w+)$/, 'apiextensions'],
  [/^K8sKubeAggregatorPkgApisApiregistration(V1)(\w+)$/, 'apiregistration'],
  [/^K8sApimachineryPkgRuntime()(\w+)$/, 'runtime'],
  [/^K8sApimachineryPkgUtilIntstr()(\w+)$/, 'intstr'],
  [/^K8sApimachineryPkgVersion()(\w+)$/, 'version'],
]

/**
 * Makes sure that the texts are there and those of the installed package. Where it is not installed, there are none,
 * and everything that shows descriptions leaves them empty.
 */
export function generate() {
  const packages = installedPackages()
  const own = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)))
  const mark = [
    ...packages.map(({ name, version }) => `${name}@${version}`),
    own.update(readFileSync(servedTables)).digest('hex'),
  ]
  const header = `// Written by scripts/descriptions.mjs: ${mark.join(' ')}`
  if (headerOf(target) === header) return
  if (packages.length === 0) console.error('kubernetes-models is not installed: descriptions are left out')
  const texts = JSON.stringify(textsOf(packages), undefined, 2)
  mkdirSync(dirname(target), { recursive: true })
  // Another build may be writing the file too.
  const temporary = `${target}.${process.pid}.tmp`
  writeFileSync(temporary, `${header}\nexport const texts: Readonly<Record<string, string>> = ${texts}\n`)
  renameSync(temporary, target)
}

function headerOf(file) {
  try {
    return readFileSync(file, 'utf8').split('\n', 1)[0]
  } catch {
    return undefined
  }
}

/** kubernetes-models, and the package of the types that it shares with others. */
function installedPackages() {
  const found = []
  let from = join(root, 'package.json')
  for (const name of ['kubernetes-models', '@kubernetes-models/apimachinery']) {
    const folder = createRequire(from)
      .resolve.paths(name)
      .map((modules) => join(modules, name))
      .find((candidate) => versionOf(candidate) !== undefined)
    if (folder === undefined) return []
    found.push({ name, folder, version: versionOf(folder) })
    from = join(folder, 'package.json')
  }
  return found
}

function versionOf(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version
  } catch {
    return undefined
  }
}

/** By package and version, the JSON of each type's texts by field; the type's own is at ''. One JSON each: what is asked for is parsed. */
function textsOf(packages) {
  const tables = readFileSync(servedTables, 'utf8')
  const byPackage = {}
  for (const { folder } of packages) {
    for (const file of declarations(folder)) {
      const text = readFileSync(file, 'utf8')
      const reference = referenceOf(/ as Io(\w+) \};?\s*$/.exec(text)?.[1] ?? '')
      if (reference === undefined) continue
      const [name, type] = reference
      if (name.includes('/') && !tables.includes(`['${name}',`) && !former.includes(name)) continue
      byPackage[name] ??= {}
      byPackage[name][type] = commentsOf(text)
    }
  }
  return Object.fromEntries(Object.entries(byPackage).map(([name, types]) => [name, JSON.stringify(types)]))
}

function declarations(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.d.ts') && !file.startsWith('_') && !file.includes('node_modules'))
    .sort()
    .map((file) => join(folder, file))
}

/** `K8sApiCoreV1PodSpec` is PodSpec of core/v1. */
function referenceOf(name) {
  for (const [pattern, folder] of elsewhere) {
    const found = pattern.exec(name)
    if (found !== null) return [found[1] === '' ? folder : `${folder}/${found[1].toLowerCase()}`, found[2]]
  }
  const found = /^K8sApi([A-Z][a-z]+)(V\d+(?:(?:alpha|beta)\d+)?)([A-Z]\w*)$/.exec(name)
  return found === null ? undefined : [`${found[1].toLowerCase()}/${found[2].toLowerCase()}`, found[3]]
}

/** The comments above the declared interface (or named type) and above its properties. */
function commentsOf(text) {
  const comments = {}
  for (const [, comment, margin, declared] of text.matchAll(/^ *\/\*\*\n((?: *\*.*\n)*?)( *) \*\/\n(.*)$/gm)) {
    const unescaped = unescapedOf(comment, `${margin} * `)
    if (/^export (?:interface|type) /.test(declared)) comments[''] = unescaped
    const property = /^ {4}"([^"]+)"/.exec(declared)?.[1]
    if (property !== undefined) comments[property] = unescaped
  }
  return comments
}

/** The text that the package made a comment of. */
function unescapedOf(comment, margin) {
  const lines = comment.split('\n').slice(0, -1)
  return lines
    .map((line) => line.slice(margin.length))
    .join('\n')
    .replace(/\n@deprecated$/, '')
    .replaceAll('\\*', '*')
    .replaceAll('\\/', '/')
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) generate()
