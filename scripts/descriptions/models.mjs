/** Descriptions of types and fields, from packages whose declarations contain those of the API's OpenAPI unchanged. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installedPackage } from './packages.mjs'

/** The versions with the texts of packages whose types moved to other ones. */
const moved = { extensions: ['apps/v1', 'networking/v1', 'policy/v1beta1'] }

/** The packages of types outside of k8s.io/api, by pattern of the type names in kubernetes-models. */
const elsewhere = [
  [/^K8sApimachineryPkgApisMeta(V1(?:beta1)?)(\w+)$/, 'meta'],
  [/^K8sApiextensionsApiserverPkgApisApiextensions(V1(?:beta1)?)(\w+)$/, 'apiextensions'],
  [/^K8sKubeAggregatorPkgApisApiregistration(V1(?:beta1)?)(\w+)$/, 'apiregistration'],
  [/^K8sApimachineryPkgRuntime()(\w+)$/, 'runtime'],
  [/^K8sApimachineryPkgUtilIntstr()(\w+)$/, 'intstr'],
  [/^K8sApimachineryPkgVersion()(\w+)$/, 'version'],
]

/** Returns kubernetes-models and the package of shared types; an empty list if they are not installed. */
export function modelPackages() {
  const models = installedPackage('kubernetes-models')
  const shared = models && installedPackage('@kubernetes-models/apimachinery', join(models.folder, 'package.json'))
  return shared === undefined ? [] : [models, shared]
}

/**
 * Returns the texts of both packages. A version that is not served by default has only the texts in which it differs from the
 * versions named in its type ''.
 * @param served the source that lists the served tables, and `unserved` the one that lists the others
 */
export function modelTexts(packages, served, unserved) {
  const names = [...unserved.matchAll(/'.\/unserved\/(\w+)\.(\w+)\.ts'/g)].map(([, name, version]) => `${name}/${version}`)
  const all = allTexts(packages, (name) => served.includes(`['${name}',`) || names.includes(name))
  for (const name of names) all[name] = differences(all, name, served)
  return all
}

/** Returns the versions whose texts those of a version are compared with. */
function newerVersions(name, served) {
  const [folder] = name.split('/')
  const own = [...served.matchAll(/\['(\w+)\/(\w+)',/g)].filter(([, other]) => other === folder)
  return moved[folder] ?? own.map(([, other, version]) => `${other}/${version}`).reverse()
}

function differences(all, name, served) {
  const newer = newerVersions(name, served)
  const different = { '': { newer: newer.join(' ') } }
  const texts = all[name]
  // Nothing is known about a version that no package contains.
  if (texts === undefined) return different
  const shared = (type, field) => newer.map((other) => all[other]?.[type]?.[field]).find((text) => text !== undefined)
  for (const [type, fields] of Object.entries(texts)) {
    const names = new Set([...Object.keys(fields), ...newer.flatMap((other) => Object.keys(all[other]?.[type] ?? {}))])
    const own = [...names].filter((field) => (fields[field] ?? '') !== (shared(type, field) ?? ''))
    if (own.length > 0) different[type] = Object.fromEntries(own.map((field) => [field, fields[field] ?? '']))
  }
  return different
}

function allTexts(packages, isWanted) {
  const byPackage = {}
  for (const { folder } of packages) {
    for (const file of declarations(folder)) {
      const text = readFileSync(file, 'utf8')
      const reference = referenceOf(/ as Io(\w+) \};?\s*$/.exec(text)?.[1] ?? '')
      if (reference === undefined) continue
      const [name, type] = reference
      if (name.includes('/') && !isWanted(name)) continue
      byPackage[name] ??= {}
      byPackage[name][type] = commentsOf(text)
    }
  }
  return byPackage
}

function declarations(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.d.ts') && !file.startsWith('_') && !file.includes('node_modules'))
    .sort()
    .map((file) => join(folder, file))
}

/** Converts a type name: `K8sApiCoreV1PodSpec` is PodSpec of core/v1. */
function referenceOf(name) {
  for (const [pattern, folder] of elsewhere) {
    const found = pattern.exec(name)
    if (found !== null) return [found[1] === '' ? folder : `${folder}/${found[1].toLowerCase()}`, found[2]]
  }
  const found = /^K8sApi([A-Z][a-z]+)(V\d+(?:(?:alpha|beta)\d+)?)([A-Z]\w*)$/.exec(name)
  return found === null ? undefined : [`${found[1].toLowerCase()}/${found[2].toLowerCase()}`, found[3]]
}

/** Returns the description of Quantity, which kubernetes-models lacks, from kubernetes-types. */
export function quantityTexts({ folder }) {
  return { resource: { Quantity: commentsOf(readFileSync(join(folder, 'api', 'resource.d.ts'), 'utf8')) } }
}

/** Returns the comments of the declared interface (or named type) and of its properties. */
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

/** Restores the text from which the package made a comment. */
function unescapedOf(comment, margin) {
  const lines = comment.split('\n').slice(0, -1)
  return lines
    .map((line) => line.slice(margin.length))
    .join('\n')
    .replace(/\n@deprecated$/, '')
    .replaceAll('\\*', '*')
    .replaceAll('\\/', '/')
}
