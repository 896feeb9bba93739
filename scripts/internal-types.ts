/**
 * Writes src/catalog/shapes/internal-types.ts, internal-types-cluster.ts and internal-types-definitions.ts: Go's field names, in
 * order, of the internal types to which all versions of a kind convert. Messages that quote such values use these names.
 *
 *   node scripts/internal-types.ts <folder of k8s.io/kubernetes> <folder of k8s.io/api> <folder of k8s.io/apiextensions-apiserver>
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Field {
  readonly name: string
  readonly type: string
  readonly tag: string
}

/** The types that messages quote; all types below them are included. */
const roots = [
  ...['PodTemplateSpec', 'PodFailurePolicy', 'SuccessPolicy', 'PersistentVolumeSource', 'PersistentVolumeClaimSpec'],
  ...['VolumeNodeAffinity', 'Taint', 'NodeAddress', 'NodeConfigSource', 'ScopeSelector', 'ObjectReference', 'EventSource'],
]
/** Further types in groups whose internal structs have other names, as `<group>.<struct>`. */
const clusterRoots = [
  ...['flowcontrol.FlowSchemaSpec', 'flowcontrol.PriorityLevelConfigurationSpec'],
  ...['storage.CSINodeDriver', 'storage.VolumeAttachmentSpec'],
  ...['resource.ResourceClaimSpec', 'resource.ResourceClaimTemplateSpec', 'resource.AllocationResult'],
  ...['resource.ResourceClaimConsumerReference', 'resource.AllocatedDeviceStatus', 'resource.ResourceSliceSpec'],
]
const definitionRoots = ['JSONSchemaProps', 'CustomResourceDefinitionVersion']
const clusterGroups = ['flowcontrol', 'storage', 'resource'] as const

/** Structs of other packages, and structs with their own JSON encoding: they look as in the API. */
const asInApi = /^(?:metav1\.|apiresource\.|resource\.Quantity$|intstr\.|runtime\.)/

function structsOf(source: string): Map<string, Field[]> {
  const empty = [...source.matchAll(/^type (\w+) struct ?\{\}/gm)].map(([, name = '']) => [name, []] as [string, Field[]])
  const structs = new Map<string, Field[]>(empty)
  for (const [, name = '', body = ''] of source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    const fields: Field[] = []
    for (const line of body.split('\n')) {
      const match = /^\t(\w+)\s+([^\s`]+)(?:\s+`(.*)`)?\s*(?:\/\/.*)?$/.exec(line)
      const embedded = /^\t((?:\w+\.)?\w+)(?:\s+`(.*)`)?\s*(?:\/\/.*)?$/.exec(line)
      if (match !== null) fields.push({ name: match[1] ?? '', type: match[2] ?? '', tag: match[3] ?? '' })
      else if (embedded !== null) fields.push({ name: '', type: embedded[1] ?? '', tag: embedded[2] ?? '' })
    }
    structs.set(name, fields)
  }
  return structs
}

const aliasesOf = (source: string): Map<string, string> =>
  new Map([...source.matchAll(/^type (\w+) ((?:map\[[\w.]+\]|\[\])?[\w.]+)$/gm)].map(([, name = '', type = '']) => [name, type]))

/** Returns JSON names by Go names for each struct of a versioned package. */
function jsonNames(source: string): Map<string, Map<string, string>> {
  const names = new Map<string, Map<string, string>>()
  for (const [struct, fields] of structsOf(source)) {
    names.set(struct, new Map(fields.map(({ name, tag }) => [name, /json:"([^",]*)/.exec(tag)?.[1] ?? ''])))
  }
  return names
}

const [kubernetes = '', api = '', apiextensions = ''] = process.argv.slice(2)
const read = (...parts: readonly string[]): string => readFileSync(join(...parts), 'utf8')

/** The types of one or two groups; `prefix` is prepended to the names of their structs in the table. */
interface Package {
  readonly prefix: string
  readonly structs: Map<string, Field[]>
  readonly aliases: Map<string, string>
  readonly names: Map<string, Map<string, string>>
}

function packageOf(prefix: string, groups: readonly string[]): Package {
  const source = groups.map((group) => read(kubernetes, `pkg/apis/${group}/types.go`)).join('')
  const versioned = groups.map((group) => read(api, `${group}/v1/types.go`)).join('')
  return { prefix, structs: structsOf(source), aliases: aliasesOf(source), names: jsonNames(versioned) }
}

function definitionsPackage(): Package {
  const files = ['types.go', 'types_jsonschema.go']
  const folder = join(apiextensions, 'pkg/apis/apiextensions')
  const source = files.map((file) => read(folder, file)).join('')
  const versioned = files.map((file) => read(folder, 'v1', file)).join('')
  return { prefix: 'apiextensions.', structs: structsOf(source), aliases: aliasesOf(source), names: jsonNames(versioned) }
}

const core = packageOf('', ['core', 'batch'])
const packages = new Map<string, Package>(clusterGroups.map((group) => [group, packageOf(`${group}.`, [group])]))
const lines: string[] = []
const done = new Set<string>()

/** Resolves aliases: returns scalars, structs of the table, lists, maps and pointers of these, or `api`. */
function resolve(type: string, at: Package): string {
  if (type.startsWith('*')) return `*${resolve(type.slice(1), at)}`
  if (type.startsWith('[]')) return `[]${resolve(type.slice(2), at)}`
  const map = /^map\[[\w.]+\](.*)$/.exec(type)
  if (map !== null) return `{}${resolve(map[1] ?? '', at)}`
  if (type === 'types.UID') return 'string'
  if (type === 'JSON') return 'api:JSON'
  const either = /^JSONSchemaPropsOr(\w+)$/.exec(type)?.[1]
  if (either !== undefined) return `or:${either}`
  if (asInApi.test(type)) return `api:${type.slice(type.indexOf('.') + 1)}`
  const bare = type.replace(/^(?:api|core)\./, '')
  const from = bare === type ? at : core
  if (from.structs.has(bare)) return visit(bare, from)
  const alias = from.aliases.get(bare)
  if (alias !== undefined) return resolve(alias, from)
  if (bare === 'string') return 'string'
  if (bare === 'bool') return 'bool'
  if (/^u?int\d*$|^byte$|^float64$/.test(bare)) return 'number'
  throw new Error(`what is ${type}?`)
}

function fieldsOf(struct: string, at: Package): (readonly [string, string, string])[] {
  return (at.structs.get(struct) ?? []).flatMap(({ name, type }) => {
    if (name !== '') {
      const json = at.names.get(struct)?.get(name) ?? `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`
      return [[name, json, resolve(type, at)] as const]
    }
    const bare = type.replace(/^\w+\./, '')
    if (bare === 'TypeMeta') return []
    return asInApi.test(type) ? [['', 'metadata', `api:${bare}`] as const] : fieldsOf(bare, type === bare ? at : core)
  })
}

const keyOf = (name: string): string => (name.includes('.') ? `'${name}'` : name)

function visit(struct: string, at: Package): string {
  const name = `${at.prefix}${struct}`
  if (done.has(name)) return name
  done.add(name)
  const fields = fieldsOf(struct, at).map((field) => `    [${field.map((part) => `'${part}'`).join(', ')}],`)
  lines.push(`  ${keyOf(name)}: [`, ...fields, '  ],')
  return name
}

const shapes = join(import.meta.dirname, '../src/catalog/shapes')

for (const root of roots) visit(root, core)
const text = `/** Go's names of the fields to which versions convert. Written by scripts/internal-types.ts of k8s.io/kubernetes and k8s.io/api. */

/** A field: its Go name ('' for an embedded struct), its API name, its type. */
export type InternalField = readonly [name: string, json: string, type: string]

export const internalTypes: Readonly<Record<string, readonly InternalField[]>> = {
${lines.join('\n')}
}
`
writeFileSync(join(shapes, 'internal-types.ts'), text)

lines.length = 0
for (const root of clusterRoots) {
  const [group = '', struct = ''] = root.split('.')
  const at = packages.get(group)
  if (at !== undefined) visit(struct, at)
}
const clusterText = `/** The same for the kinds that configure a cluster. Written by scripts/internal-types.ts of k8s.io/kubernetes and k8s.io/api. */
import type { InternalField } from './internal-types.ts'

export const clusterTypes: Readonly<Record<string, readonly InternalField[]>> = {
${lines.join('\n')}
}
`
writeFileSync(join(shapes, 'internal-types-cluster.ts'), clusterText)

lines.length = 0
const definitions = definitionsPackage()
for (const root of definitionRoots) visit(root, definitions)
const definitionsText = `/** The same for CustomResourceDefinitions. Written by scripts/internal-types.ts of k8s.io/apiextensions-apiserver. */
import type { InternalField } from './internal-types.ts'

export const definitionTypes: Readonly<Record<string, readonly InternalField[]>> = {
${lines.join('\n')}
}
`
writeFileSync(join(shapes, 'internal-types-definitions.ts'), definitionsText)
