/** Makes the schemas of types from the generated tables. Follows k8s.io/kube-openapi/pkg/generators. */
import { descriptionOf } from '../../catalog/descriptions/describe.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import type { FieldTable, TypeTable, VersionTable } from '../../schema/tables.ts'
import { schemaName } from './names.ts'
import { specialSchema, unionExtension, versionInfo } from './special-schemas.ts'

/** The way in which a version of OpenAPI writes schemas. */
export interface Dialect {
  /** The prefix of a schema's name in a reference. */
  readonly prefix: '#/definitions/' | '#/components/schemas/'
  readonly special: 'v2' | 'v3'
  /** Version 3 has defaults, and needs an `allOf` around a reference that has siblings. */
  readonly defaults: boolean
}

export const version2: Dialect = { prefix: '#/definitions/', special: 'v2', defaults: false }
export const version3: Dialect = { prefix: '#/components/schemas/', special: 'v3', defaults: true }

/** The schema of a type, and the zero value that Go writes for it if it is not a pointer. */
interface Value {
  readonly schema: JsonObject
  readonly isReference: boolean
  readonly zero?: JsonValue | undefined
  /** The values of an enumeration. */
  readonly enum?: readonly string[] | undefined
}

/** The parts of a schema that come from the field and not from the type. */
interface Remarks {
  readonly description?: string
  readonly preset?: JsonValue | undefined
}

/** Returns an object with the description, or an empty object if the description is empty. */
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

/** The types to which a document may refer. */
interface Types {
  /** By `<package>/<version>`. */
  readonly tables: ReadonlyMap<string, VersionTable>
  /** Returns additional extensions of a named type's schema. */
  extend(reference: string): JsonObject
}

/** Makes a schema. It refers to other schemas with `refer`. */
export type MakeSchema = (dialect: Dialect, refer: (reference: string) => JsonObject) => JsonObject

/** Collects the schemas to which a document refers. Throws an Error for a type without a table, which is a bug of the tables. */
export class Schemas {
  readonly #tables: ReadonlyMap<string, VersionTable>
  readonly #dialect: Dialect
  readonly #extend: (reference: string) => JsonObject
  readonly #custom: ReadonlyMap<string, MakeSchema>
  readonly #made = new Map<string, JsonObject>()

  /** @param custom the schemas of types without a table */
  constructor(dialect: Dialect, { tables, extend }: Types, custom: Iterable<readonly [string, MakeSchema]> = []) {
    this.#tables = tables
    this.#dialect = dialect
    this.#extend = extend
    this.#custom = new Map(custom)
  }

  /** Returns a reference to the schema of a named type, and makes the schema at the first reference. */
  refer(reference: string): JsonObject {
    const name = schemaName(reference)
    if (!this.#made.has(name)) {
      const schema: JsonObject = {}
      this.#made.set(name, schema)
      Object.assign(schema, this.#whole(reference))
    }
    return { $ref: this.#dialect.prefix + name }
  }

  /** Returns all schemas made so far, sorted by name. */
  all(): JsonObject {
    return Object.fromEntries([...this.#made].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** Returns all schemas made so far in the form of `components`; an empty object if there are no schemas. */
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

  /** Returns the schema of the elements of a list or map. */
  #element(type: string): JsonObject {
    const value = this.#value(type)
    return this.#write(value, { preset: value.zero })
  }

  #write({ schema, isReference, enum: values }: Value, { description = '', preset }: Remarks): JsonObject {
    const defaultValue = preset === undefined || !this.#dialect.defaults ? {} : { default: preset }
    const { type, format, ...inner } = schema
    const remarks = {
      ...described(description),
      ...(type !== undefined && { type }),
      ...(format !== undefined && { format }),
      ...defaultValue,
    }
    if (values !== undefined) return { ...remarks, enum: [...values] }
    // OpenAPI 3.0 ignores siblings of a reference.
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
