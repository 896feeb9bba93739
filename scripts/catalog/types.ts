/** Makes the tables of types from the facts of the Go sources. */

import type { JsonValue } from '../../src/go/json-value.ts'
import type { FieldTable, ListType, TypeTable } from '../../src/schema/tables.ts'
import { type FieldFacts, marker, markerValues, type PackageFacts, type TypeFacts } from './facts.ts'

/** A table under construction. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] }

type Struct = Extract<TypeTable, { fields: object }>

/** Types that are never on the wire, and that refer to types without a table. */
const LEFT_OUT: ReadonlySet<string> = new Set(['meta/v1.InternalEvent'])

/** An index of types and constants by reference (`core/v1.Pod`) over all packages. */
export class FactsIndex {
  private readonly packages: ReadonlyMap<string, PackageFacts>
  private readonly types: ReadonlyMap<string, TypeFacts>

  constructor(packages: readonly PackageFacts[]) {
    this.packages = new Map(packages.map((p) => [p.name, p]))
    this.types = new Map(packages.flatMap((p) => p.types.map((t) => [`${p.name}.${t.name}`, t])))
  }

  /** Returns the type of a reference, or undefined if it is outside the tables. */
  type(reference: string): TypeFacts | undefined {
    return this.types.get(reference)
  }

  /** Returns the struct of a reference, through aliases; undefined if the reference is not to a struct of the tables. */
  struct(reference: string): TypeFacts | undefined {
    const type = this.types.get(reference)
    return type === undefined || type.fields !== null ? type : this.struct(type.expression)
  }

  /**
   * Returns the value of a package's string constant.
   * @throws Error if the package has no such constant
   */
  constant(packageName: string, name: string): string {
    const value = this.packages.get(packageName)?.constants[name]
    if (value === undefined) throw new Error(`${packageName} has no constant ${name}`)
    return value
  }
}

/**
 * Returns the tables of all types of a package, sorted by name.
 * @throws Error if the sources contain something unknown
 */
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

/** Returns the values of a string type that is marked as an enumeration; undefined for other types. */
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

/** The position of an inlined struct in the protobuf message. */
interface Position {
  /** Whether the struct is not encoded, as the TypeMeta of an object. */
  readonly omitted: boolean
  /** The field numbers of the messages that enclose its fields. */
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
      // An embedded type of a type with its own JSON methods, such as time.Time, is not a field.
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

/** Whether OpenAPI marks the field as required. Follows its generator: a marker decides, otherwise the JSON tag. */
function isRequired(field: FieldFacts, options: readonly string[]): boolean {
  if (marker(field.markers, 'required') !== undefined) return true
  if (marker(field.markers, 'optional') !== undefined) return false
  return !options.includes('omitempty')
}

/** Returns the value of `+default=` on the field or, without one, on its named type. */
function defaultValue(field: FieldFacts, packageName: string, index: FactsIndex): JsonValue | undefined {
  const text = marker(field.markers, 'default')
  if (text === undefined) return undefined
  const reference = /^ref\((?:.*[./])?(\w+)\)$/.exec(text)?.[1]
  return reference === undefined ? JSON.parse(text) : index.constant(packageName, reference)
}

/** Returns the number in the tag `bytes,1,opt,name=metadata`, or undefined if there is no tag. */
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
