/**
 * Converts JSON values of a structural schema to CEL values, without copying (k8s.io/apiserver/pkg/cel/common). A schema is
 * compiled once to a function. A value that does not match the schema is an error when an expression reads it.
 */
import { isRawNumber, isWholeDouble } from '../go/json.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { escapeName, isReserved } from './names.ts'
import { additionalOf, type Position, positionOf, propertiesOf, type StructuralSchema, withObjectMeta } from './schema.ts'
import { FORMATS, type ReadText } from './schema-formats.ts'
import { DataList, type ItemReader, MapList, SetList } from './schema-lists.ts'
import { DataMap, DataObject, type Field, Unknown } from './schema-objects.ts'
import { CelError, Double, intOf, MAX_INT, MIN_INT, type Value } from './value.ts'

/** Converts a JSON value. */
export type ReadValue = (json: JsonValue) => Value

const NULL_IS_NONE = new CelError('invalid data, got null for schema with nullable=false')

const invalid = (message: string): CelError => new CelError(`invalid data, ${message}`)

/** Returns Go's type name of a JSON value. */
function goType(json: JsonValue): string {
  if (json === null) return '<nil>'
  if (typeof json === 'string' || typeof json === 'boolean') return json === true || json === false ? 'bool' : 'string'
  if (typeof json === 'number') return Number.isSafeInteger(json) ? 'int64' : 'float64'
  if (Array.isArray(json)) return '[]interface {}'
  if (isWholeDouble(json)) return 'float64'
  return isRawNumber(json) ? 'int64' : 'map[string]interface {}'
}

/** Converts a 64-bit int; undefined for other values. */
export function intFrom(json: JsonValue): Value | undefined {
  if (typeof json === 'number') return Number.isSafeInteger(json) ? json + 0 : undefined
  if (!isRawNumber(json) || isWholeDouble(json) || !/^-?\d{1,19}$/.test(json.rawJSON)) return undefined
  const value = BigInt(json.rawJSON)
  return value > MAX_INT || value < MIN_INT ? undefined : intOf(value)
}

const readInteger: ReadValue = (json) => intFrom(json) ?? invalid(`expected int, got ${goType(json)}`)

const readNumber: ReadValue = (json) => {
  if (typeof json === 'number') return new Double(json)
  return isRawNumber(json) ? new Double(Number(json.rawJSON)) : invalid(`expected float, got ${goType(json)}`)
}

const readBoolean: ReadValue = (json) => (typeof json === 'boolean' ? json : invalid(`expected bool, got ${goType(json)}`))

const readIntOrString: ReadValue = (json) =>
  typeof json === 'string' ? json : (intFrom(json) ?? invalid('expected XIntOrString value to be either a string or integer'))

function readString(read: ReadText | undefined): ReadValue {
  if (read === undefined) return (json) => (typeof json === 'string' ? json : invalid(`expected string, got ${goType(json)}`))
  return (json) => (typeof json === 'string' ? read(json) : invalid(`expected string, got ${goType(json)}`))
}

const isObject = (json: JsonValue): json is JsonObject => typeof json === 'object' && json !== null && !Array.isArray(json)

function reading(read: (object: JsonObject) => Value): ReadValue {
  return (json) => (isObject(json) ? read(json) : invalid('expected a map for the provided schema with type=object'))
}

function readObject(schema: StructuralSchema): ReadValue {
  const properties = propertiesOf(schema)
  if (properties === undefined) {
    const values = additionalOf(schema)
    const read = values === undefined ? undefined : schemaReader(values, positionOf(values))
    return reading((object) => new DataMap(object, read))
  }
  const fields = Object.entries(properties).map(
    ([property, propertySchema]): Field => ({
      property,
      name: escapeName(property) ?? property,
      inherited: property in Object.prototype,
      read: schemaReader(propertySchema, positionOf(propertySchema)),
    }),
  )
  const reserved = fields.filter(({ property }) => isReserved(property))
  const byName = new Map([
    ...fields.map((field): [string, Field] => [field.name, field]),
    ...reserved.map((field): [string, Field] => [field.property, field]),
  ])
  const byProperty = new Map(fields.map((field) => [field.property, field]))
  return reading((object) => new DataObject(object, byName, byProperty))
}

function readArray(schema: StructuralSchema): ReadValue {
  if (schema.items === undefined) return () => new CelError('invalid array type, expected Items with a non-empty Schema')
  const read: ItemReader = schemaReader(schema.items, positionOf(schema.items))
  const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => escapeName(key) ?? key)
  const listType = schema['x-kubernetes-list-type'] ?? 'atomic'
  const make = (elements: readonly JsonValue[]): Value => {
    if (listType === 'set') return new SetList(elements.map(read))
    return listType === 'map' ? new MapList(elements.map(read), keys) : new DataList(elements, read)
  }
  return (json) => (Array.isArray(json) ? make(json) : invalid('expected an array for the provided schema with type=array'))
}

function readType(schema: StructuralSchema): ReadValue {
  switch (schema.type) {
    case 'object':
      return readObject(schema)
    case 'array':
      return readArray(schema)
    case 'string':
      return readString(FORMATS.get(schema.format ?? ''))
    case 'number':
      return readNumber
    case 'integer':
      return readInteger
    case 'boolean':
      return readBoolean
    default:
      if (schema['x-kubernetes-preserve-unknown-fields'] === true) return (json) => new Unknown(json)
      return () => new CelError(`invalid type, ${EXPECTED}, got ${schema.type ?? ''}`)
  }
}

const EXPECTED =
  'expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true'

/**
 * Compiles a schema to the function that converts its values.
 *
 * @example
 * ```ts
 * const declared = declaredType(schema, 'self', 'part')
 * const environment = KUBERNETES.extend({ variables: { self: declared.type }, objects: objectsWithin(declared) })
 * const read = schemaReader(schema, 'part')
 * const { value } = program.evaluate({ self: read(object) }, 1_000_000)
 * ```
 */
export function schemaReader(schema: StructuralSchema, position: Position): ReadValue {
  const whole = position === 'resource' ? withObjectMeta(schema) : schema
  const read = schema['x-kubernetes-int-or-string'] === true ? readIntOrString : readType(whole)
  const none = schema.nullable === true ? null : NULL_IS_NONE
  return (json) => (json === null ? none : read(json))
}
