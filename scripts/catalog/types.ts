/** From the facts of the Go sources to the tables of types. */

import type { JsonValue } from '../../src/go/json-value.ts'
import type { FieldTable, ListType, TypeTable } from '../../src/schema/tables.ts'
import { type FieldFacts, marker, markerValues, type PackageFacts, type TypeFacts } from './facts.ts'

/** A table while it is made. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] }

type Struct = Extract<TypeTable, { fields: object }>

/** Types that never are on the wire, and whose own types no table has. */
const LEFT_OUT: ReadonlySet<string> = new Set(['meta/v1.InternalEvent'])

/** Looks up types and constants over all packages by their reference, `core/v1.Pod`. */
export class FactsIndex {
  private readonly packages: ReadonlyMap<string, PackageFacts>
  private readonly types: ReadonlyMap<string, TypeFacts>

  constructor(packages: readonly PackageFacts[]) {
    this.packages = new Map(packages.map((p) => [p.name, p]))
    this.types = new Map(packages.flatMap((p) => p.types.map((t) => [`${p.name}.${t.name}`, t])))
  }

  /** The type of a reference, or undefined where it lies outside the tables. */
  type(reference: string): TypeFacts | undefined {
    return this.types.get(reference)
  }

  /** The struct of a reference, through other names for it; undefined where it is none of the tables'. */
  struct(reference: string): TypeFacts | undefined {
    const type = this.types.get(reference)
    return type === undefined || type.fields !== null ? type : this.struct(type.expression)
  }

  /** The value of a package's string constant. Throws where there is none. */
  constant(packageName: string, name: string): string {
    const value = this.packages.get(packageName)?.constants[name]
    if (value === undefined) throw new Error(`${packageName} has no constant ${name}`)
    return value
  }
}

/** The tables of all types of a package, sorted by name. Throws where the sources say something unknown. */
export function typeTables(facts: PackageFacts, index: FactsIndex): Record<string, TypeTable> {
  const names = facts.types.map((t) => t.name).filter((name) => !LEFT_OUT.has(`${facts.name}.${name}`))
  return Object.fromEntries(
    names.sort().map((name) => {
      const type = index.type(`${facts.name}.${name}`)
      if (type === undefined) throw new Error(`no type ${facts.name}.${name}`)
      return [name, type.fields === null ? aliasTable(facts, type, index) : structTable(facts.name, type, index)]
    }),
  )
}

/** The values of a string that is marked as an enumeration; undefined for others. */
function enumOf({ values }: PackageFacts, type: TypeFacts, index: FactsIndex): string[] | undefined {
  if (type.expression !== 'string' || marker(type.markers, 'enum') === undefined) return undefined
  const texts = (values[type.name] ?? []).map(({ text, constant }) => {
    const [packageName = '', name = ''] = constant.split('.')
    return constant === '' ? text : index.constant(packageName, name)
  })
  return [...new Set(texts)].sort()
}

function aliasTable(facts: PackageFacts, type: TypeFacts, index: FactsIndex): TypeTable {
  const listType = marker(type.markers, 'listType')
  const mapType = marker(type.markers, 'mapType')
  const values = enumOf(facts, type, index)
  return {
    alias: type.expression,
    ...(listType === undefined ? {} : { listType: listType as ListType }),
    ...(mapType === undefined ? {} : { mapType: granularity(mapType) }),
    ...(values === undefined ? {} : { enum: values }),
    ...(type.expression.startsWith('[]') && marker(type.markers, 'protobuf.nullable') === 'true' ? { message: true } : {}),
  }
}

function structTable(packageName: string, type: TypeFacts, index: FactsIndex): Struct {
  const fields = new Map<string, FieldTable>()
  const own = { packageName, customJson: type.customJson }
  for (const [name, field] of spread(type, own, { omitted: false, numbers: [] }, index)) {
    if (fields.has(name)) throw new Error(`${packageName}.${type.name} has two fields ${name}`)
    fields.set(name, field)
  }
  const structType = marker(type.markers, 'structType') ?? marker(type.markers, 'mapType')
  return {
    ...(type.customJson ? { customJson: true } : {}),
    ...(structType === undefined ? {} : { structType: granularity(structType) }),
    fields: Object.fromEntries(fields),
  }
}

/** Where a struct that is spread into another stands on the wire of protobuf. */
interface Position {
  /** It is not on the wire, as the TypeMeta of an object. */
  readonly omitted: boolean
  /** The numbers of the messages around its fields. */
  readonly numbers: readonly number[]
}

interface Owner {
  readonly packageName: string
  readonly customJson: boolean
}

function* spread(type: TypeFacts, owner: Owner, position: Position, index: FactsIndex): Generator<[string, FieldTable]> {
  for (const field of type.fields ?? []) {
    const [jsonName = '', ...options] = field.json.split(',')
    const number = protobufNumber(field)
    if (jsonName === '-' && !owner.customJson) continue
    if (field.embedded && jsonName === '') {
      const inner = index.struct(field.type.replace(/^\*/, ''))
      if (inner !== undefined) {
        const packageName = field.type.replace(/^\*/, '').replace(/\.[^.]*$/, '')
        const numbers = [...position.numbers, number ?? 0]
        const embedded = { omitted: position.omitted || number === undefined, numbers }
        yield* spread(inner, { packageName, customJson: false }, embedded, index)
        continue
      }
      // What a type with JSON of its own embeds (time.Time) is no field.
      if (number === undefined) continue
    }
    const name = jsonName === '' || jsonName === '-' ? (owner.customJson ? protobufName(field) : field.name) : jsonName
    yield [name, fieldTable(field, options, owner, position, index)]
  }
}

function fieldTable(field: FieldFacts, options: string[], owner: Owner, position: Position, index: FactsIndex): FieldTable {
  const number = position.omitted ? undefined : protobufNumber(field)
  const table: Partial<Mutable<FieldTable>> & { type: string } = { type: field.type }
  if (number !== undefined) table.protobuf = number
  if (number !== undefined && position.numbers.length > 0) table.protobufPath = position.numbers
  if (options.includes('omitempty')) table.omitempty = true
  if (options.includes('omitzero')) table.omitzero = true
  if (!owner.customJson && isRequired(field, options)) table.required = true
  const value = defaultValue(field, owner.packageName, index)
  if (value !== undefined) table.default = value
  addOwnership(table, field)
  if (field.patchStrategy !== '') table.patchStrategy = field.patchStrategy
  if (field.patchMergeKey !== '') table.patchMergeKey = field.patchMergeKey
  return table
}

function addOwnership(table: Partial<Mutable<FieldTable>>, field: FieldFacts): void {
  const listType = marker(field.markers, 'listType')
  const keys = markerValues(field.markers, 'listMapKey')
  const mapType = marker(field.markers, 'mapType')
  const structType = marker(field.markers, 'structType')
  if (listType !== undefined) table.listType = listType as ListType
  if (keys.length > 0) table.listMapKeys = keys
  if (mapType !== undefined) table.mapType = granularity(mapType)
  if (structType !== undefined) table.structType = granularity(structType)
}

/** As the OpenAPI generator decides: a marker says it, otherwise the JSON tag. */
function isRequired(field: FieldFacts, options: readonly string[]): boolean {
  if (marker(field.markers, 'required') !== undefined) return true
  if (marker(field.markers, 'optional') !== undefined) return false
  return !options.includes('omitempty')
}

/** `+default=` on the field or, without one, on its named type. */
function defaultValue(field: FieldFacts, packageName: string, index: FactsIndex): JsonValue | undefined {
  const text = marker(field.markers, 'default')
  if (text === undefined) return undefined
  const reference = /^ref\((?:.*[./])?(\w+)\)$/.exec(text)?.[1]
  return reference === undefined ? JSON.parse(text) : index.constant(packageName, reference)
}

/** The number in the tag `bytes,1,opt,name=metadata`, or undefined where there is no tag. */
function protobufNumber(field: FieldFacts): number | undefined {
  const number = field.protobuf.split(',')[1]
  return number === undefined ? undefined : Number(number)
}

function protobufName(field: FieldFacts): string {
  return /(?:^|,)name=(\w+)/.exec(field.protobuf)?.[1] ?? field.name
}

function granularity(text: string): 'atomic' | 'granular' {
  if (text !== 'atomic' && text !== 'granular') throw new Error(`neither atomic nor granular: ${text}`)
  return text
}
