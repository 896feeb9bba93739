/**
 * Compares the tables with the structured-merge-diff schema in client-go (applyconfigurations/internal), which says whether
 * lists, maps and structs are atomic or granular. The schema overrides the tables.
 */
import { readFileSync } from 'node:fs'
import type { FieldTable, TypeTable, VersionTable } from '../../src/schema/tables.ts'
import { readYaml } from '../../src/yaml/parse.ts'
import { references, TableIndex } from '../tables/type-references.ts'
import type { Mutable } from './types.ts'

/** A type of the schema. At least one of these parts is present. */
interface SchemaType {
  readonly scalar?: string
  readonly list?: { readonly elementRelationship: string; readonly keys?: readonly string[]; readonly elementType: SchemaType }
  readonly map?: {
    readonly elementRelationship?: string
    readonly fields?: readonly SchemaField[]
    readonly elementType?: SchemaType
  }
  readonly namedType?: string
  readonly elementRelationship?: string
}

interface SchemaField {
  readonly name: string
  readonly type: SchemaType
  readonly default?: unknown
}

type NamedType = SchemaType & { readonly name: string }

type Ownership = Pick<FieldTable, 'listType' | 'listMapKeys' | 'mapType' | 'structType'>
type Struct = Extract<TypeTable, { fields: object }>

/**
 * Reads the schema from the string in a Go file.
 * @throws Error if the file has an unexpected form
 */
export function readSchema(file: string): NamedType[] {
  const text = /YAMLObject\(`([^`]*)`/.exec(readFileSync(file, 'utf8'))?.[1]
  if (text === undefined) throw new Error(`${file} holds no schema`)
  return (JSON.parse(readYaml(text).json) as { types: NamedType[] }).types
}

/** Changes the tables to agree with the schema. Returns one line for each difference. */
export function settleOwnership(tables: readonly VersionTable[], schema: readonly NamedType[]): string[] {
  const index = new TableIndex(tables)
  const differences: string[] = []
  for (const type of schema) {
    const reference = referenceOf(type.name)
    const table = reference === undefined ? undefined : index.type(reference)
    if (reference === undefined || table === undefined || 'alias' in table || table.customJson) continue
    const context = { reference, table, index, differences }
    settleStruct(context, type)
    for (const field of type.map?.fields ?? []) settleField(context, field)
    settleNames(context, type)
  }
  return differences
}

/** Converts `io.k8s.api.core.v1.Pod` to `core/v1.Pod`. Returns undefined for a type that the tables do not contain. */
function referenceOf(name: string): string | undefined {
  const [, table, version, type] = /^io\.k8s\.(?:api|apimachinery\.pkg\.apis)\.(\w+)\.(\w+)\.(\w+)$/.exec(name) ?? []
  return type === undefined ? undefined : `${table}/${version}.${type}`
}

interface Context {
  readonly reference: string
  readonly table: Struct
  readonly index: TableIndex
  readonly differences: string[]
}

function settleStruct({ reference, table, differences }: Context, type: SchemaType): void {
  const atomic = type.map?.elementRelationship === 'atomic'
  if (atomic === (table.structType === 'atomic')) return
  differences.push(`${reference}: the struct is ${atomic ? 'atomic' : 'granular'} in the schema`)
  ;(table as Mutable<Struct>).structType = atomic ? 'atomic' : 'granular'
}

function settleField({ reference, table, index, differences }: Context, field: SchemaField): void {
  const own = Object.hasOwn(table.fields, field.name) ? table.fields[field.name] : undefined
  if (own === undefined) return
  const wanted = schemaOwnership(field.type)
  const found = tableOwnership(own, index)
  if (JSON.stringify(wanted) !== JSON.stringify(found)) {
    differences.push(`${reference}.${field.name}: ${JSON.stringify(found)}, but in the schema ${JSON.stringify(wanted)}`)
    Object.assign(own, wanted)
  }
  const value = implicitDefault(own, index)
  if (typeof field.default !== 'object' && field.default !== value) {
    differences.push(`${reference}.${field.name}: default ${value}, but in the schema ${field.default}`)
    ;(own as Mutable<FieldTable>).default = field.default as string
  }
}

function settleNames({ reference, table, differences }: Context, type: SchemaType): void {
  const names = new Set(type.map?.fields?.map((field) => field.name))
  if (names.size === 0) return
  for (const name of Object.keys(table.fields)) {
    if (!names.delete(name)) differences.push(`${reference}.${name}: not in the schema`)
  }
  for (const name of names) differences.push(`${reference}.${name}: only in the schema`)
}

function schemaOwnership({ list, map, namedType, elementRelationship }: SchemaType): Ownership {
  if (namedType !== undefined) {
    return elementRelationship === undefined ? {} : { structType: elementRelationship === 'atomic' ? 'atomic' : 'granular' }
  }
  // A type for any JSON is scalar, list and map at once.
  if (list !== undefined && map !== undefined) return {}
  if (list !== undefined) {
    if (list.elementRelationship === 'atomic') return { listType: 'atomic' }
    return list.keys === undefined ? { listType: 'set' } : { listType: 'map', listMapKeys: list.keys }
  }
  if (map !== undefined) return { mapType: map.elementRelationship === 'atomic' ? 'atomic' : 'granular' }
  return {}
}

/** Returns the ownership of a table's field, with the default for absent markers. */
function tableOwnership(field: FieldTable, index: TableIndex): Ownership {
  const { expression, listType, mapType } = resolveAlias(field.type.replace(/^\*/, ''), index)
  if (expression === '[]byte') return {}
  if (expression.startsWith('[]')) {
    const type = field.listType ?? listType ?? 'atomic'
    return type === 'map' ? { listType: type, listMapKeys: field.listMapKeys ?? [] } : { listType: type }
  }
  if (expression.startsWith('map[')) return { mapType: field.mapType ?? mapType ?? 'granular' }
  const structType = field.structType ?? field.mapType
  return structType === undefined ? {} : { structType }
}

interface Resolved {
  readonly expression: string
  readonly listType?: FieldTable['listType']
  readonly mapType?: FieldTable['mapType']
}

/** Resolves aliases down to a struct, a list, a map or a built-in type. */
function resolveAlias(expression: string, index: TableIndex): Resolved {
  if (references(expression)[0] !== expression) return { expression }
  const type = index.type(expression)
  if (type === undefined || !('alias' in type)) return { expression }
  const inner = resolveAlias(type.alias, index)
  return { ...inner, listType: type.listType ?? inner.listType, mapType: type.mapType ?? inner.mapType }
}

/** Returns the default in the API's OpenAPI: the marked one, or the zero value of a field that is always written. */
function implicitDefault(field: FieldTable, index: TableIndex): unknown {
  if (field.default !== undefined) return field.default
  if (field.omitempty) return undefined
  const { expression } = resolveAlias(field.type, index)
  if (expression === 'string' || expression.startsWith('types.')) return ''
  if (expression === 'bool') return false
  return /^(u?int|float)\d*$|^byte$/.test(expression) ? 0 : undefined
}
