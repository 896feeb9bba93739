/** Schemas of types, from the generated tables. Follows k8s.io/kube-openapi/pkg/generators. */
import { descriptionOf } from '../../catalog/descriptions/describe.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import type { FieldTable, TypeTable, VersionTable } from '../../schema/tables.ts'
import { schemaName } from './names.ts'
import { specialSchema, unionExtension, versionInfo } from './special-schemas.ts'

/** How a version of OpenAPI writes schemas. */
export interface Dialect {
  /** What stands in front of a schema's name in a reference. */
  readonly prefix: '#/definitions/' | '#/components/schemas/'
  readonly special: 'v2' | 'v3'
  /** Version 3 tells defaults, and what stands beside a reference makes it an `allOf`. */
  readonly defaults: boolean
}

export const version2: Dialect = { prefix: '#/definitions/', special: 'v2', defaults: false }
export const version3: Dialect = { prefix: '#/components/schemas/', special: 'v3', defaults: true }

/** What a type's schema says, and what its zero value is where Go writes one without a pointer. */
interface Value {
  readonly schema: JsonObject
  readonly isReference: boolean
  readonly zero?: JsonValue | undefined
  /** The values that an enumeration knows. */
  readonly enum?: readonly string[] | undefined
}

/** What a schema says besides what it is of. */
interface Remarks {
  readonly description?: string
  readonly preset?: JsonValue | undefined
}

/** A description as a part of an object; nothing where there is none. */
export const described = (description: string): JsonObject => (description === '' ? {} : { description })

const scalar = (type: string, format: string, zero: JsonValue): Value => ({
  schema: format === '' ? { type } : { type, format },
  isReference: false,
  zero,
})

const scalars: ReadonlyMap<string, Value> = new Map([
  ['string', scalar('string', '', '')],
  ['bool', scalar('boolean', '', false)],
  ['int', scalar('integer', 'int32', 0)],
  ['int32', scalar('integer', 'int32', 0)],
  ['int64', scalar('integer', 'int64', 0)],
  ['byte', scalar('integer', 'byte', 0)],
  ['uint8', scalar('integer', 'byte', 0)],
  ['uint16', scalar('integer', 'int32', 0)],
  ['uint32', scalar('integer', 'int64', 0)],
  ['uint64', scalar('integer', 'int64', 0)],
  ['float32', scalar('number', 'float', 0)],
  ['float64', scalar('number', 'double', 0)],
  ['time.Duration', scalar('integer', 'int64', 0)],
  ['types.UID', scalar('string', '', '')],
  ['types.NodeName', scalar('string', '', '')],
  ['[]byte', { schema: { type: 'string', format: 'byte' }, isReference: false }],
  ['interface{}', { schema: { type: 'object' }, isReference: false }],
])

/** The types that a document may refer to. */
interface Types {
  /** By `<package>/<version>`. */
  readonly tables: ReadonlyMap<string, VersionTable>
  /** What a named type's schema has besides. */
  extend(reference: string): JsonObject
}

/** Gives a schema that refers to others by way of `refer`. */
export type MakeSchema = (dialect: Dialect, refer: (reference: string) => JsonObject) => JsonObject

/** Collects the schemas that a document refers to. Throws an Error for a type that no table has: a fault of the tables. */
export class Schemas {
  readonly #tables: ReadonlyMap<string, VersionTable>
  readonly #dialect: Dialect
  readonly #extend: (reference: string) => JsonObject
  readonly #custom: ReadonlyMap<string, MakeSchema>
  readonly #made = new Map<string, JsonObject>()

  /** `custom` has the schemas of types that are in no table. */
  constructor(dialect: Dialect, { tables, extend }: Types, custom: Iterable<readonly [string, MakeSchema]> = []) {
    this.#tables = tables
    this.#dialect = dialect
    this.#extend = extend
    this.#custom = new Map(custom)
  }

  /** A reference to the schema of a named type, which is made if it is not yet. */
  refer(reference: string): JsonObject {
    const name = schemaName(reference)
    if (!this.#made.has(name)) {
      const schema: JsonObject = {}
      this.#made.set(name, schema)
      Object.assign(schema, this.#whole(reference))
    }
    return { $ref: this.#dialect.prefix + name }
  }

  /** All schemas made so far, by name, in order. */
  all(): JsonObject {
    return Object.fromEntries([...this.#made].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** All schemas made so far as a part of the components; nothing where there are none. */
  component(): JsonObject {
    return this.#made.size === 0 ? {} : { schemas: this.all() }
  }

  #table(reference: string): TypeTable | undefined {
    if (reference === 'version.Info') return versionInfo
    const dot = reference.lastIndexOf('.')
    const types = this.#tables.get(reference.slice(0, dot))?.types
    const name = reference.slice(dot + 1)
    return types !== undefined && Object.hasOwn(types, name) ? types[name] : undefined
  }

  #whole(reference: string): JsonObject {
    const custom = this.#custom.get(reference)
    if (custom !== undefined) return custom(this.#dialect, (other) => this.refer(other))
    return { ...this.#named(reference), ...this.#extend(reference), ...unionExtension(reference) }
  }

  #named(reference: string): JsonObject {
    const table = this.#table(reference)
    const description = described(descriptionOf(reference))
    const special = specialSchema(reference, table !== undefined && 'customJson' in table)
    if (special !== undefined) return { ...description, ...special[this.#dialect.special] }
    if (table === undefined || !('fields' in table)) throw new Error(`no table has the type ${reference}`)
    return { ...description, ...this.#struct(reference, table) }
  }

  #struct(reference: string, table: Extract<TypeTable, { fields: object }>): JsonObject {
    const fields = Object.entries(table.fields).sort(([a], [b]) => (a < b ? -1 : 1))
    const required = Object.keys(table.fields).filter((name) => table.fields[name]?.required)
    const properties = fields.map(([name, field]) => [name, this.#field(descriptionOf(reference, name), field)] as const)
    const mapType = table.structType ?? table.mapType
    return {
      type: 'object',
      ...(required.length > 0 && { required }),
      ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(mapType !== undefined && { 'x-kubernetes-map-type': mapType }),
    }
  }

  #field(description: string, field: FieldTable): JsonObject {
    const value = this.#value(field.type)
    const zero = value.isReference || !field.omitempty ? value.zero : undefined
    return { ...this.#write(value, { description, preset: field.default ?? zero }), ...extensions(field) }
  }

  /** What a list or a map holds. */
  #element(type: string): JsonObject {
    const value = this.#value(type)
    return this.#write(value, { preset: value.zero })
  }

  #write({ schema, isReference, enum: values }: Value, { description = '', preset }: Remarks): JsonObject {
    const told = preset === undefined || !this.#dialect.defaults ? {} : { default: preset }
    const { type, format, ...inner } = schema
    const remarks = {
      ...described(description),
      ...(type !== undefined && { type }),
      ...(format !== undefined && { format }),
      ...told,
    }
    if (values !== undefined) return { ...remarks, enum: [...values] }
    // Version 3.0 ignores what stands beside a reference.
    const apart = isReference && this.#dialect.defaults && Object.keys(remarks).length > 0
    return apart ? { ...remarks, allOf: [schema] } : { ...remarks, ...inner }
  }

  #value(type: string): Value {
    const known = scalars.get(type)
    if (known !== undefined) return known
    if (type.startsWith('*')) return { ...this.#value(type.slice(1)), zero: undefined }
    if (type.startsWith('[]')) {
      return { schema: { type: 'array', items: this.#element(type.slice(2)) }, isReference: false }
    }
    if (type.startsWith('map[')) {
      const additionalProperties = this.#element(type.slice(type.indexOf(']') + 1))
      return { schema: { type: 'object', additionalProperties }, isReference: false }
    }
    const table = this.#table(type)
    if (table !== undefined && 'alias' in table) return { ...this.#value(table.alias), enum: table.enum }
    const isCustom = specialSchema(type, table !== undefined && 'customJson' in table) !== undefined
    return { schema: this.refer(type), isReference: true, zero: isCustom ? undefined : {} }
  }
}

function extensions(field: FieldTable): JsonObject {
  const { listMapKeys, listType, patchMergeKey, patchStrategy } = field
  const mapType = field.mapType ?? field.structType
  return {
    ...(listMapKeys !== undefined && { 'x-kubernetes-list-map-keys': [...listMapKeys] }),
    ...(listType !== undefined && { 'x-kubernetes-list-type': listType }),
    ...(mapType !== undefined && { 'x-kubernetes-map-type': mapType }),
    ...(patchMergeKey !== undefined && { 'x-kubernetes-patch-merge-key': patchMergeKey }),
    ...(patchStrategy !== undefined && { 'x-kubernetes-patch-strategy': patchStrategy }),
  }
}
