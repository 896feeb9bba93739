/** The CEL types of structural schemas, with the size limits of their values (k8s.io/apiserver/pkg/cel/common). */

import type { JsonValue } from '../go/json-value.ts'
import { utf8Length } from '../go/text.ts'
import type { ObjectDeclaration } from './environment.ts'
import { escapeName, isReserved } from './names.ts'
import { additionalOf, type Position, positionOf, type StructuralSchema, withObjectMeta } from './schema.ts'
import { BOOL, BYTES, type CelType, DOUBLE, DURATION, DYN, INT, listOf, mapOf, objectType, STRING, TIMESTAMP } from './types.ts'

/** A type with the size limits of its values. */
export interface DeclaredType {
  readonly type: CelType
  /** The greatest number of elements, entries, characters or bytes of a value. */
  readonly maxElements: number
  /** The least size of a value in JSON, in bytes. */
  readonly minSize: number
  /** The fields of an object by their escaped names. */
  readonly fields?: ReadonlyMap<string, DeclaredType>
  /** The type of a list's elements or a map's values. */
  readonly element?: DeclaredType
}

/** The maximum size of a request in bytes: no value in a request is larger. */
export const MAX_REQUEST_SIZE = 3 * 1024 * 1024

const MAX_TEXT = MAX_REQUEST_SIZE - 2

interface Simple {
  readonly type: CelType
  readonly minSize: number
  readonly maxElements: number
}

const BY_TYPE: ReadonlyMap<string, Simple> = new Map([
  ['boolean', { type: BOOL, minSize: 4, maxElements: 0 }],
  ['number', { type: DOUBLE, minSize: 1, maxElements: 0 }],
  ['integer', { type: INT, minSize: 1, maxElements: 0 }],
])

const BY_FORMAT: ReadonlyMap<string, Simple> = new Map([
  ['duration', { type: DURATION, minSize: 3, maxElements: 32 }],
  ['date', { type: TIMESTAMP, minSize: 12, maxElements: 12 }],
  ['date-time', { type: TIMESTAMP, minSize: 21, maxElements: 32 }],
])

const atLeastZero = (value: number): number => Math.max(0, value)

/** Returns the maximum length in bytes: a character has up to four. */
const maxBytes = (maxLength: number): number => atLeastZero(maxLength) * 4

function longest(values: readonly JsonValue[]): number {
  return Math.max(0, ...values.map((value) => (typeof value === 'string' ? utf8Length(value) : 0)))
}

function stringType({ format = '', maxLength, enum: values = [] }: StructuralSchema): DeclaredType {
  const simple = BY_FORMAT.get(format)
  if (simple !== undefined) return simple
  if (format === 'byte')
    return { type: BYTES, minSize: 2, maxElements: maxLength === undefined ? MAX_TEXT : atLeastZero(maxLength) }
  if (maxLength !== undefined) return { type: STRING, minSize: 2, maxElements: maxBytes(maxLength) }
  return { type: STRING, minSize: 2, maxElements: values.length > 0 ? longest(values) : MAX_TEXT }
}

function listType({ items, maxItems }: StructuralSchema, name: string): DeclaredType | undefined {
  const element = items === undefined ? undefined : declaredType(items, `${name}.@idx`, positionOf(items))
  if (element === undefined) return undefined
  const maxElements = maxItems === undefined ? Math.trunc(MAX_TEXT / (element.minSize + 1)) : atLeastZero(maxItems)
  return { type: listOf(element.type), minSize: 2, maxElements, element }
}

function mapType(schema: StructuralSchema, name: string, values: StructuralSchema): DeclaredType | undefined {
  const element = declaredType(values, `${name}.@elem`, positionOf(values))
  if (element === undefined) return undefined
  const { maxProperties } = schema
  const maxElements = maxProperties === undefined ? Math.trunc(MAX_TEXT / (element.minSize + 6)) : atLeastZero(maxProperties)
  return { type: mapOf(STRING, element.type), minSize: 2, maxElements, element }
}

function fieldsType(schema: StructuralSchema, name: string): DeclaredType {
  const required = new Set(schema.required)
  const fields = new Map<string, DeclaredType>()
  let minSize = 2
  for (const [property, propertySchema] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeName(property)
    const field = declaredType(propertySchema, `${name}.${escaped ?? property}`, positionOf(propertySchema))
    if (field === undefined) continue
    if (escaped !== undefined) fields.set(escaped, field)
    const defaulted = propertySchema.default !== undefined && propertySchema.default !== null
    if (required.has(property) && !defaulted) minSize += utf8Length(property) + field.minSize + 4
  }
  return { type: objectType(name), minSize, maxElements: 0, fields }
}

/** Returns the type of a schema; undefined if it is not visible to expressions. Objects are named by their path after `name`. */
export function declaredType(schema: StructuralSchema, name: string, position: Position): DeclaredType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true)
    return { type: DYN, minSize: 1, maxElements: schema.maxLength === undefined ? MAX_TEXT : maxBytes(schema.maxLength) }
  const whole = position === 'resource' ? withObjectMeta(schema) : schema
  if (whole.type === 'array') return listType(whole, name)
  if (whole.type === 'string') return stringType(whole)
  if (whole.type !== 'object') return BY_TYPE.get(whole.type ?? '')
  const values = additionalOf(whole)
  return values !== undefined ? mapType(whole, name, values) : fieldsType(whole, name)
}

/** Returns the names of a field with its type: a reserved word may also be written unescaped. */
function namesOf(name: string, type: CelType): readonly (readonly [string, CelType])[] {
  const word = name.slice(2, -2)
  return isReserved(word) && name === escapeName(word)
    ? [
        [name, type],
        [word, type],
      ]
    : [[name, type]]
}

/** Returns the object types within a declared type, including itself. */
export function objectsWithin({ type, fields, element }: DeclaredType): readonly ObjectDeclaration[] {
  if (element !== undefined) return objectsWithin(element)
  if (fields === undefined) return []
  const own = { name: type.name, fields: new Map([...fields].flatMap(([name, field]) => namesOf(name, field.type))) }
  return [own, ...[...fields.values()].flatMap(objectsWithin)]
}

/** Returns the type one step further on a path. */
function within(declared: DeclaredType, step: string): DeclaredType | undefined {
  if (step === '@items' || step === '@values') return declared.element
  if (step !== '@keys') return declared.fields?.get(step)
  return declared.type.kind === 'map' ? { type: STRING, minSize: 2, maxElements: 0 } : undefined
}

/** Returns the size limits within a declared type, for cost estimates: all variables of an expression have that type. */
export function sizesWithin(declared: DeclaredType): (path: readonly string[]) => number | undefined {
  return ([, ...steps]) => {
    let at: DeclaredType | undefined = declared
    for (const step of steps) {
      if (at === undefined) return undefined
      at = within(at, step)
    }
    return at?.maxElements
  }
}
