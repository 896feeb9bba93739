/**
 * Reads JSON with duplicate keys as Go decodes it into a typed value: the second value is decoded into the result of the first.
 */
import { endOfString, parseJson, setKey } from '../go/json.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { decode } from './decode.ts'
import { DecodeError } from './decode-run.ts'
import type { Field, Type } from './type.ts'

const isPlainObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.getPrototypeOf(value) === Object.prototype

/** Whether a null keeps the previous value: it does if null is not the type's zero value. */
function keepsOnNull(type: Type | undefined, field: Field | undefined): boolean {
  if (type === undefined || field?.pointer === true) return false
  return !['map', 'list', 'bytes', 'any', 'time', 'microTime', 'quantity'].includes(type.kind)
}

/** Whether a later value is decoded into the previous one, so that parts of that remain. */
function isMerged(type: Type | undefined, before: JsonValue | undefined, value: JsonValue): boolean {
  if (type?.kind === 'list') return Array.isArray(before) && Array.isArray(value)
  return (type?.kind === 'struct' || type?.kind === 'map') && isPlainObject(before) && isPlainObject(value)
}

/** Whether a value can be decoded. */
function fits(type: Type | undefined, value: JsonValue): boolean {
  if (type === undefined || value === null) return true
  try {
    decode(type, value)
    return true
  } catch (error) {
    if (error instanceof DecodeError) return false
    throw error
  }
}

/**
 * Reads a valid JSON text of bounded depth. A value that a later one replaces is an error if it cannot be decoded: it stays, and the
 * rest of the text is not read, so that each value is checked once.
 */
class Reader {
  private readonly text: string
  private at = 0
  private hasError = false

  constructor(text: string) {
    this.text = text
  }

  private skip(): number {
    while (this.at < this.text.length && ' \t\n\r,:'.includes(this.text[this.at] ?? '')) this.at++
    return this.text.charCodeAt(this.at)
  }

  private literal(): string {
    const start = this.at
    if (this.text[start] === '"') this.at = endOfString(this.text, start) + 1
    else while (this.at < this.text.length && !' \t\n\r,:]}'.includes(this.text[this.at] ?? '')) this.at++
    return this.text.slice(start, this.at)
  }

  /**
   * @param type undefined for an untyped value, of which the last one counts
   * @param before the previous value of the same key
   */
  read(type: Type | undefined, before?: JsonValue): JsonValue {
    const code = this.skip()
    if (code === 0x7b) return this.object(type, before)
    if (code === 0x5b) return this.array(type, before)
    return parseJson(this.literal(), 'verbatim')
  }

  /** Reads the value of a struct's key that may have had a value before. */
  private member(field: Field | undefined, before: JsonValue | undefined): JsonValue {
    return this.remaining(field, field?.type, before, this.read(field?.type, before))
  }

  /** Returns what remains of two values of one key. */
  private remaining(
    field: Field | undefined,
    type: Type | undefined,
    before: JsonValue | undefined,
    value: JsonValue,
  ): JsonValue {
    if (before === undefined || isMerged(type, before, value)) return value
    return (value === null && keepsOnNull(type, field)) || !this.canReplace(type, before) ? before : value
  }

  private canReplace(type: Type | undefined, before: JsonValue): boolean {
    if (!fits(type, before)) this.hasError = true
    return !this.hasError
  }

  /** Reads the value of a map's key. It replaces an earlier value. */
  private entry(type: Type | undefined, before: JsonValue | undefined): JsonValue {
    const value = this.read(type)
    return before === undefined || this.canReplace(type, before) ? value : before
  }

  private object(type: Type | undefined, before: JsonValue | undefined): JsonObject {
    const keepsKeys = (type?.kind === 'struct' || type?.kind === 'map') && isPlainObject(before)
    const object = keepsKeys ? before : {}
    this.at++
    while (this.skip() !== 0x7d) {
      const key = JSON.parse(this.literal()) as string
      const previous = Object.hasOwn(object, key) ? object[key] : undefined
      if (type?.kind === 'struct') setKey(object, key, this.member(type.fields.get(key), previous))
      else setKey(object, key, this.entry(type?.kind === 'map' ? type.value : undefined, previous))
      if (this.hasError) return object
    }
    this.at++
    return object
  }

  /** Reads elements into the previous ones with the same index. */
  private array(type: Type | undefined, before: JsonValue | undefined): JsonValue[] {
    const element = type?.kind === 'list' ? type.element : undefined
    const old = element !== undefined && Array.isArray(before) ? before : []
    const array: JsonValue[] = []
    this.at++
    while (this.skip() !== 0x5d) {
      const previous = old[array.length]
      array.push(this.remaining(undefined, element, previous, this.read(element, previous)))
      if (this.hasError) return array
    }
    this.at++
    // Elements beyond the new length are dropped, except an error.
    const error = old.slice(array.length).find((dropped) => !this.canReplace(element, dropped))
    return error === undefined ? array : [...array, error]
  }
}

/**
 * Reads a text in which objects have duplicate keys.
 * @param text valid JSON (checked by parseJson)
 * @param type the type of the object
 */
export function parseMerged(text: string, type: Type): JsonValue {
  return new Reader(text).read(type)
}
