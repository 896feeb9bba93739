/**
 * Writes src/catalog/shapes/internal-types.ts: how Go names the fields of the types to which all versions of Pods and Jobs
 * convert, and in which order. Messages that quote such values show them under these names.
 *
 *   node scripts/internal-types.ts <folder of k8s.io/kubernetes> <folder of k8s.io/api>
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Field {
  readonly name: string
  readonly type: string
  readonly tag: string
}

/** What the messages quote, with all that is below it. */
const roots = ['PodTemplateSpec', 'PodFailurePolicy', 'SuccessPolicy']

/** Structs of other packages, and those that are written in JSON in a way of their own: they look as they do in the API. */
const asInApi = /^(?:metav1\.|resource\.|intstr\.)/

function structsOf(source: string): Map<string, Field[]> {
  const structs = new Map<string, Field[]>()
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
  new Map([...source.matchAll(/^type (\w+) ((?:map\[\w+\])?[\w.]+)$/gm)].map(([, name = '', type = '']) => [name, type]))

/** The names of JSON by the names of Go, for each struct of a versioned package. */
function jsonNames(source: string): Map<string, Map<string, string>> {
  const names = new Map<string, Map<string, string>>()
  for (const [struct, fields] of structsOf(source)) {
    names.set(struct, new Map(fields.map(({ name, tag }) => [name, /json:"([^",]*)/.exec(tag)?.[1] ?? ''])))
  }
  return names
}

const [kubernetes = '', api = ''] = process.argv.slice(2)
const read = (...parts: readonly string[]): string => readFileSync(join(...parts), 'utf8')
const source = read(kubernetes, 'pkg/apis/core/types.go') + read(kubernetes, 'pkg/apis/batch/types.go')
const versioned = jsonNames(read(api, 'core/v1/types.go') + read(api, 'batch/v1/types.go'))
const structs = structsOf(source)
const aliases = aliasesOf(source)
const lines: string[] = []
const done = new Set<string>()

/** The type with aliases followed: scalars, structs of the table, lists, maps and pointers of these, or `api`. */
function resolve(type: string): string {
  if (type.startsWith('*')) return `*${resolve(type.slice(1))}`
  if (type.startsWith('[]')) return `[]${resolve(type.slice(2))}`
  const map = /^map\[\w+\](.*)$/.exec(type)
  if (map !== null) return `{}${resolve(map[1] ?? '')}`
  const bare = type.replace(/^(?:api|core)\./, '')
  if (asInApi.test(type) || type === 'types.UID')
    return type === 'types.UID' ? 'string' : `api:${type.slice(type.indexOf('.') + 1)}`
  if (structs.has(bare)) {
    visit(bare)
    return bare
  }
  const alias = aliases.get(bare)
  if (alias !== undefined) return resolve(alias)
  if (bare === 'string') return 'string'
  if (bare === 'bool') return 'bool'
  if (/^u?int\d*$|^byte$/.test(bare)) return 'number'
  throw new Error(`what is ${type}?`)
}

function fieldsOf(struct: string): (readonly [string, string, string])[] {
  return (structs.get(struct) ?? []).flatMap(({ name, type }) => {
    if (name !== '') {
      const json = versioned.get(struct)?.get(name) ?? `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`
      return [[name, json, resolve(type)] as const]
    }
    const bare = type.replace(/^\w+\./, '')
    if (bare === 'TypeMeta') return []
    return asInApi.test(type) ? [['', 'metadata', `api:${bare}`] as const] : fieldsOf(bare)
  })
}

function visit(struct: string): void {
  if (done.has(struct)) return
  done.add(struct)
  const fields = fieldsOf(struct).map((field) => `    [${field.map((part) => `'${part}'`).join(', ')}],`)
  lines.push(`  ${struct}: [`, ...fields, '  ],')
}

for (const root of roots) visit(root)
const text = `/** Go's names of the fields to which versions convert. Written by scripts/internal-types.ts of k8s.io/kubernetes and k8s.io/api. */

/** A field: its name in Go ('' where what is below stands in its place), its name in the API, its type. */
export type InternalField = readonly [name: string, json: string, type: string]

export const internalTypes: Readonly<Record<string, readonly InternalField[]>> = {
${lines.join('\n')}
}
`
writeFileSync(join(import.meta.dirname, '../src/catalog/shapes/internal-types.ts'), text)
