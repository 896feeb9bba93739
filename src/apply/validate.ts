/** Validates an applied configuration against its type. Follows TypedValue.Validate of structured-merge-diff, with its texts. */

import { isRawNumber } from '../go/json.ts'
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { type GoValue, goPrint, goSyntax, goTypeOf } from '../go/print.ts'
import { goQuote } from '../go/text.ts'
import type { List, Struct, Type } from '../schema/type.ts'
import { fieldElement, keyElement, pathText, valueElement } from './path-element.ts'
import type { ListMapShape } from './schema.ts'
import { shapeOf } from './schema.ts'
import { ownOr } from './value.ts'

/** An error with its path. */
interface Complaint {
  readonly path: string
  readonly text: string
}

/** The maximum of reported errors. */
const MAX_COMPLAINTS = 100

/** Returns the error for a value other than null that does not fit a scalar type. */
type ScalarCheck = (value: JsonValue) => string | undefined

const isScalar = (value: JsonValue): boolean => typeof value !== 'object' || isRawNumber(value)

const aString: ScalarCheck = (value) =>
  typeof value === 'string' ? undefined : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`

const aNumber: ScalarCheck = (value) =>
  typeof value === 'number' || isRawNumber(value) ? undefined : `expected numeric (int or float), got ${goTypeOf(value)}`

const aBoolean: ScalarCheck = (value) => (typeof value === 'boolean' ? undefined : `expected boolean, got &{${goPrint(value)}}`)

const aScalar: ScalarCheck = (value) => (isScalar(value) ? undefined : `expected any scalar, got &{${goPrint(value)}}`)

const anything: ScalarCheck = () => undefined

const SCALAR_CHECKS: Readonly<Record<Exclude<Type['kind'], 'struct' | 'map' | 'list' | 'fieldsV1'>, ScalarCheck>> = {
  string: aString,
  bytes: aString,
  duration: aString,
  boolean: aBoolean,
  int32: aNumber,
  int64: aNumber,
  uint8: aNumber,
  uint16: aNumber,
  uint32: aNumber,
  uint64: aNumber,
  float32: aNumber,
  float64: aNumber,
  time: aScalar,
  microTime: aScalar,
  quantity: aScalar,
  scalar: aScalar,
  intOrString: anything,
  rawExtension: anything,
  any: anything,
}

/** The path element of a list item, or the error for an item without identity. */
type Named = { readonly element: string } | { readonly complaint: string }

function namedByValue(item: JsonValue): Named {
  const element = valueElement(item)
  if (element !== undefined) return { element }
  if (item === null) return { complaint: "associative list without keys has an element that's an explicit null" }
  if (Array.isArray(item)) return { complaint: 'not supported: associative list with lists as elements' }
  return { complaint: "associative list without keys has an element that's a map type" }
}

function namedByKeys(shape: ListMapShape, keyNames: readonly string[], item: JsonValue): Named {
  if (item === null) return { complaint: 'associative list with keys may not have a null element' }
  if (!isObject(item)) return { complaint: 'associative list with keys may not have non-map elements' }
  const keys: [string, JsonValue][] = []
  for (const key of shape.keys) {
    const value = ownOr(item, key.name, key.default)
    if (value !== undefined) keys.push([key.name, value])
  }
  if (keys.length === 0) {
    const names = keyNames.map(goQuote).join(' ')
    return {
      complaint: `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    }
  }
  // Lists and objects as keys are named, too: only the visit of the field reports them.
  return { element: keyElement(keys) ?? `k:${JSON.stringify(Object.fromEntries(keys))}` }
}

const numbers: ReadonlySet<Type['kind']> = new Set<Type['kind']>([
  'int32',
  'int64',
  'uint8',
  'uint16',
  'uint32',
  'uint64',
  'float32',
  'float64',
])
const strings: ReadonlySet<Type['kind']> = new Set<Type['kind']>(['string', 'bytes', 'duration'])

/** Returns the error for a value that JSON does not have, which no type accepts. */
function goValueComplaint({ kind }: Type, { type, printed, syntax }: GoValue): string {
  if (strings.has(kind)) return `expected string, got &value.valueUnstructured{Value:${syntax}}`
  if (numbers.has(kind)) return `expected numeric (int or float), got ${type}`
  if (kind === 'list') return `expected list, got &{${printed}}`
  if (kind === 'struct' || kind === 'map') return `expected map, got &{${printed}}`
  if (kind === 'boolean') return `expected boolean, got &{${printed}}`
  return `expected any scalar, got &{${printed}}`
}

class Validation {
  readonly complaints: Complaint[] = []
  /** The names of fields and keys, and the elements of list items, down to the value. */
  private readonly path: string[] = []
  /** Whether each of them is the name of a field or key: its element is made only for complaints. */
  private readonly areNames: boolean[] = []
  private readonly goValues: ReadonlyMap<JsonValue, GoValue>
  private readonly duplicates: 'allowed' | 'refused'

  constructor(goValues: ReadonlyMap<JsonValue, GoValue>, duplicates: 'allowed' | 'refused') {
    this.goValues = goValues
    this.duplicates = duplicates
  }

  visit(type: Type, value: JsonValue): void {
    if (value === null) return
    const goValue = this.goValues.get(value)
    if (goValue !== undefined) {
      this.complain(goValueComplaint(type, goValue))
      return
    }
    if (type.kind === 'list') {
      if (Array.isArray(value)) this.visitItems(type, value)
      else this.complain(`expected list, got &{${goPrint(value)}}`)
    } else if (type.kind === 'struct' || type.kind === 'map') {
      if (!isObject(value)) this.complain(`expected map, got &{${goPrint(value)}}`)
      else if (type.kind === 'struct') this.visitFields(type, value)
      else this.visitKeys(type.value, value)
    } else if (type.kind === 'fieldsV1') {
      if (!isObject(value)) this.complain(`expected map, got &{${goPrint(value)}}`)
    } else {
      const complaint = SCALAR_CHECKS[type.kind](value)
      if (complaint !== undefined) this.complain(complaint)
    }
  }

  private complain(text: string): void {
    if (this.complaints.length >= MAX_COMPLAINTS) return
    const elements = this.path.map((step, index) => (this.areNames[index] === true ? fieldElement(step) : step))
    this.complaints.push({ path: pathText(elements), text })
  }

  private enter(step: string, is: 'name' | 'element'): void {
    this.path.push(step)
    this.areNames.push(is === 'name')
  }

  private leave(): void {
    this.path.pop()
    this.areNames.pop()
  }

  private belowName(name: string, type: Type, value: JsonValue): void {
    this.enter(name, 'name')
    this.visit(type, value)
    this.leave()
  }

  private belowElement(element: string, type: Type, value: JsonValue): void {
    this.enter(element, 'element')
    this.visit(type, value)
    this.leave()
  }

  private visitFields(type: Struct, object: JsonObject): void {
    // The schema of a struct without fields accepts every object.
    if (type.fields.size === 0 && type.additional === undefined) return
    for (const name in object) {
      const field = type.fields.get(name)
      const fieldType = field?.type ?? type.additional
      if (fieldType === undefined) {
        this.enter(name, 'name')
        this.complain('field not declared in schema')
        this.leave()
        return
      }
      this.belowName(name, fieldType, object[name] ?? null)
    }
  }

  private visitKeys(type: Type, object: JsonObject): void {
    for (const key in object) this.belowName(key, type, object[key] ?? null)
  }

  private visitItems(type: List, list: readonly JsonValue[]): void {
    if (type.listType === 'atomic') {
      list.forEach((item, index) => {
        this.belowElement(`i:${index}`, type.element, item)
      })
      return
    }
    const shape = shapeOf(type)
    const nameOf = shape.kind === 'list-map' ? (item: JsonValue) => namedByKeys(shape, type.keys, item) : namedByValue
    const seen = new Set<string>()
    for (const [index, item] of list.entries()) {
      // Nothing further is reported: half a million equal items are not named.
      if (this.complaints.length >= MAX_COMPLAINTS) return
      const named = nameOf(item)
      if ('complaint' in named) {
        this.complain(`element ${index}: ${named.complaint}`)
        return
      }
      const { element } = named
      if (this.duplicates === 'refused' && seen.has(element)) this.complain(`duplicate entries for key ${pathText([element])}`)
      seen.add(element)
      this.belowElement(element, type.element, item)
    }
  }
}

const noGoValues: ReadonlyMap<JsonValue, GoValue> = new Map()

/**
 * Returns the errors of an object as one text; undefined if it fits the type. Null fits every type.
 * @param goValues values that JSON does not have, by the placeholders that stand for them in the object
 * @param duplicates whether lists may contain an item twice, as those of stored objects may
 */
export function validationErrors(
  type: Type,
  object: JsonValue,
  goValues: ReadonlyMap<JsonValue, GoValue> = noGoValues,
  duplicates: 'allowed' | 'refused' = 'refused',
): string | undefined {
  const validation = new Validation(goValues, duplicates)
  validation.visit(type, object)
  const [first, ...others] = validation.complaints.map(({ path, text }) => (path === '' ? text : `${path}: ${text}`))
  if (first === undefined || others.length === 0) return first
  return ['errors:', `  ${first}`, ...others.map((text) => `  ${text}`)].join('\n')
}
