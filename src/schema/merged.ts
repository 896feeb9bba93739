/** JSON in which a key stands twice, as Go decodes it into a typed value: the second is read into what the first has made. */
import { endOfString, parseJson, setKey } from '../go/json.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { Field, Type } from './type.ts'

const isPlainObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.getPrototypeOf(value) === Object.prototype

/** Whether a null leaves what was read before: it does where it is not the zero value of the type. */
function outlivesNull(type: Type | undefined, field: Field | undefined): boolean {
  if (type === undefined || field?.pointer === true) return false
  return !['map', 'list', 'bytes', 'any'].includes(type.kind)
}

/** Whether a value has the shape of its type. What has not is an error, also where another value comes behind it. */
function fits(type: Type | undefined, value: JsonValue): boolean {
  if (type === undefined || value === null) return true
  if (type.kind === 'struct' || type.kind === 'map') return isPlainObject(value)
  if (type.kind === 'list') return Array.isArray(value)
  return type.kind !== 'string' || typeof value === 'string'
}

/** Reads a text that is known to be JSON and not to nest too deep. */
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
   * @param type undefined for a value without a type, of which the last counts
   * @param before what was read into the same place
   */
  read(type: Type | undefined, before?: JsonValue): JsonValue {
    const code = this.skip()
    if (code === 0x7b) return this.object(type, before)
    if (code === 0x5b) return this.array(type, before)
    return parseJson(this.literal(), 'verbatim')
  }

  /** The value behind a key of a struct that may have had one before. */
  private member(field: Field | undefined, before: JsonValue | undefined): JsonValue {
    const value = this.read(field?.type, before)
    if (before === undefined) return value
    const stays = value === null ? outlivesNull(field?.type, field) : !fits(field?.type, before)
    return stays ? before : value
  }

  private object(type: Type | undefined, before: JsonValue | undefined): JsonObject {
    const isMerged = (type?.kind === 'struct' || type?.kind === 'map') && isPlainObject(before)
    const object = isMerged ? before : {}
    this.at++
    while (this.skip() !== 0x7d) {
      const key = JSON.parse(this.literal()) as string
      const known = type?.kind === 'struct' && Object.hasOwn(object, key) ? object[key] : undefined
      if (type?.kind === 'struct') setKey(object, key, this.member(type.fields.get(key), known))
      else setKey(object, key, this.read(type?.kind === 'map' ? type.value : undefined))
    }
    this.at++
    return object
  }

  /** Elements are read into those that stood at their places. */
  private array(type: Type | undefined, before: JsonValue | undefined): JsonValue[] {
    const element = type?.kind === 'list' ? type.element : undefined
    const old = element !== undefined && Array.isArray(before) ? before : []
    const array: JsonValue[] = []
    this.at++
    while (this.skip() !== 0x5d) {
      const known = old[array.length]
      const value = this.read(element, known)
      array.push(value === null && known !== undefined && outlivesNull(element, undefined) ? known : value)
    }
    this.at++
    return array
  }
}

/**
 * Reads a text in which keys stand more than once in an object.
 * @param text which parseJson took
 * @param type of the object that is read
 */
export function parseMerged(text: string, type: Type): JsonValue {
  return new Reader(text).read(type)
}
