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

/** Whether a value that a later one replaces can be decoded. If not, it is an error even though another value follows. */
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

/** Returns what remains of two values of one key. */
function remaining(field: Field | undefined, type: Type | undefined, before: JsonValue | undefined, value: JsonValue): JsonValue {
  if (before === undefined || isMerged(type, before, value)) return value
  const stays = (value === null && keepsOnNull(type, field)) || !fits(type, before)
  return stays ? before : value
}

/** Reads a valid JSON text of bounded depth. */
class Reader {
  private readonly text: string
  private at = 0

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
    return remaining(field, field?.type, before, this.read(field?.type, before))
  }

  /** Reads the value of a map's key. It replaces an earlier value. */
  private entry(type: Type | undefined, before: JsonValue | undefined): JsonValue {
    const value = this.read(type)
    return before === undefined || fits(type, before) ? value : before
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
      array.push(remaining(undefined, element, previous, this.read(element, previous)))
    }
    this.at++
    // Elements beyond the new length are dropped, except errors.
    return [...array, ...old.slice(array.length).filter((dropped) => !fits(element, dropped))]
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
