/**
 * Reads Go's field names of the internal types, to which all versions of a kind convert, in order. Messages that quote values of
 * such types contain these names.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type InternalFieldRow, jsonName } from '../tables/internal-text.ts'
import { type GoModules, moduleOf } from './modules.ts'

/** A field of a Go struct. The name of an embedded field is ''. */
interface GoField {
  readonly name: string
  readonly type: string
  readonly tag: string
}

/** The internal types of one or two groups. */
interface InternalPackage {
  /** The prefix of the structs' names in the table: `storage.`. */
  readonly prefix: string
  readonly structs: ReadonlyMap<string, readonly GoField[]>
  readonly aliases: ReadonlyMap<string, string>
  /** JSON names by Go names, for each struct of v1. */
  readonly jsonNames: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** The structs that messages quote, by group. The table also contains every struct that these refer to. */
const ROOTS: Readonly<Record<string, readonly string[]>> = {
  core: [
    ...['PodTemplateSpec', 'PodFailurePolicy', 'SuccessPolicy', 'PersistentVolumeSource', 'PersistentVolumeClaimSpec'],
    ...['VolumeNodeAffinity', 'Taint', 'NodeAddress', 'NodeConfigSource', 'ScopeSelector', 'ObjectReference', 'EventSource'],
  ],
  flowcontrol: ['FlowSchemaSpec', 'PriorityLevelConfigurationSpec'],
  storage: ['CSINodeDriver', 'VolumeAttachmentSpec'],
  resource: [
    ...['ResourceClaimSpec', 'ResourceClaimTemplateSpec', 'AllocationResult', 'ResourceClaimConsumerReference'],
    ...['AllocatedDeviceStatus', 'ResourceSliceSpec'],
  ],
  apiextensions: ['JSONSchemaProps', 'CustomResourceDefinitionVersion'],
}

/** Structs of other packages and those with their own JSON methods, which messages quote in the form of the API. */
const SHOWN_AS_IN_API = /^(?:metav1\.|apiresource\.|resource\.Quantity$|intstr\.|runtime\.)/

function structsOf(source: string): Map<string, readonly GoField[]> {
  const structs = new Map<string, readonly GoField[]>()
  for (const [, name = ''] of source.matchAll(/^type (\w+) struct ?\{\}/gm)) structs.set(name, [])
  for (const [, name = '', body = ''] of source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    structs.set(name, body.split('\n').flatMap(fieldOf))
  }
  return structs
}

function fieldOf(line: string): GoField[] {
  const named = /^\t(\w+)\s+([^\s`]+)(?:\s+`(.*)`)?\s*(?:\/\/.*)?$/.exec(line)
  if (named !== null) return [{ name: named[1] ?? '', type: named[2] ?? '', tag: named[3] ?? '' }]
  const embedded = /^\t((?:\w+\.)?\w+)(?:\s+`(.*)`)?\s*(?:\/\/.*)?$/.exec(line)
  return embedded === null ? [] : [{ name: '', type: embedded[1] ?? '', tag: embedded[2] ?? '' }]
}

const aliasesOf = (source: string): Map<string, string> =>
  new Map([...source.matchAll(/^type (\w+) ((?:map\[[\w.]+\]|\[\])?[\w.]+)$/gm)].map(([, name = '', type = '']) => [name, type]))

function jsonNamesOf(source: string): Map<string, Map<string, string>> {
  const names = new Map<string, Map<string, string>>()
  for (const [struct, fields] of structsOf(source)) {
    names.set(struct, new Map(fields.map(({ name, tag }) => [name, /json:"([^",]*)/.exec(tag)?.[1] ?? ''])))
  }
  return names
}

function packageOf(prefix: string, internalFiles: readonly string[], versionedFiles: readonly string[]): InternalPackage {
  const read = (files: readonly string[]): string => files.map((file) => readFileSync(file, 'utf8')).join('')
  const source = read(internalFiles)
  return { prefix, structs: structsOf(source), aliases: aliasesOf(source), jsonNames: jsonNamesOf(read(versionedFiles)) }
}

/** Reads the packages that ROOTS names. */
function readPackages(modules: GoModules): Map<string, InternalPackage> {
  const kubernetes = join(moduleOf(modules, 'k8s.io/kubernetes').dir, 'pkg/apis')
  const api = moduleOf(modules, 'k8s.io/api').dir
  const definitions = join(moduleOf(modules, 'k8s.io/apiextensions-apiserver').dir, 'pkg/apis/apiextensions')
  const ofGroups = (prefix: string, groups: readonly string[]): InternalPackage =>
    packageOf(
      prefix,
      groups.map((group) => join(kubernetes, group, 'types.go')),
      groups.map((group) => join(api, group, 'v1/types.go')),
    )
  const files = ['types.go', 'types_jsonschema.go']
  return new Map([
    ['core', ofGroups('', ['core', 'batch'])],
    ...['flowcontrol', 'storage', 'resource'].map((group) => [group, ofGroups(`${group}.`, [group])] as const),
    [
      'apiextensions',
      packageOf(
        'apiextensions.',
        files.map((file) => join(definitions, file)),
        files.map((file) => join(definitions, 'v1', file)),
      ),
    ],
  ])
}

/** Collects the structs that the roots refer to, directly or indirectly. A struct comes before those of its fields. */
class InternalTable {
  readonly rows = new Map<string, readonly InternalFieldRow[]>()
  private readonly core: InternalPackage

  constructor(core: InternalPackage) {
    this.core = core
  }

  /** Adds a struct and returns its name in the table. */
  add(struct: string, at: InternalPackage): string {
    const name = `${at.prefix}${struct}`
    if (this.rows.has(name)) return name
    this.rows.set(name, [])
    this.rows.set(name, this.fieldsOf(struct, at))
    return name
  }

  private fieldsOf(struct: string, at: InternalPackage): InternalFieldRow[] {
    return (at.structs.get(struct) ?? []).flatMap(({ name, type }): InternalFieldRow[] => {
      if (name !== '') {
        const json = at.jsonNames.get(struct)?.get(name) ?? jsonName(name)
        return [[name, json, this.resolve(type, at)]]
      }
      const bare = type.replace(/^\w+\./, '')
      if (bare === 'TypeMeta') return []
      return SHOWN_AS_IN_API.test(type) ? [['', 'metadata', `api:${bare}`]] : this.fieldsOf(bare, type === bare ? at : this.core)
    })
  }

  /** Resolves a type through aliases to a scalar, a struct of the table, a list, map or pointer of these, or `api:<type>`. */
  private resolve(type: string, at: InternalPackage): string {
    if (type.startsWith('*')) return `*${this.resolve(type.slice(1), at)}`
    if (type.startsWith('[]')) return `[]${this.resolve(type.slice(2), at)}`
    const map = /^map\[[\w.]+\](.*)$/.exec(type)
    if (map !== null) return `{}${this.resolve(map[1] ?? '', at)}`
    if (type === 'types.UID') return 'string'
    if (type === 'JSON') return 'api:JSON'
    const either = /^JSONSchemaPropsOr(\w+)$/.exec(type)?.[1]
    if (either !== undefined) return `or:${either}`
    if (SHOWN_AS_IN_API.test(type)) return `api:${type.slice(type.indexOf('.') + 1)}`
    return this.resolveNamed(type, at)
  }

  private resolveNamed(type: string, at: InternalPackage): string {
    const bare = type.replace(/^(?:api|core)\./, '')
    const from = bare === type ? at : this.core
    if (from.structs.has(bare)) return this.add(bare, from)
    const alias = from.aliases.get(bare)
    if (alias !== undefined) return this.resolve(alias, from)
    if (bare === 'string' || bare === 'bool') return bare
    if (/^u?int\d*$|^byte$|^float64$/.test(bare)) return 'number'
    throw new Error(`unknown type ${type}`)
  }
}

/** Returns the fields of every internal struct that messages quote, by the struct's name: `PodSpec`, `storage.CSINodeDriver`. */
export function internalTypes(modules: GoModules): ReadonlyMap<string, readonly InternalFieldRow[]> {
  const packages = readPackages(modules)
  const find = (group: string): InternalPackage => {
    const found = packages.get(group)
    if (found === undefined) throw new Error(`no package ${group}`)
    return found
  }
  const table = new InternalTable(find('core'))
  for (const [group, structs] of Object.entries(ROOTS)) for (const struct of structs) table.add(struct, find(group))
  return table.rows
}
