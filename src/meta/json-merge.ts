/** JSON in which a key stands twice, as Go decodes it into typed values: objects under one key become one, of the rest the last counts. */
import { endOfString, parseJson, setKey } from './json.ts'
import type { JsonObject, JsonValue } from './json-value.ts'

const isPlainObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.getPrototypeOf(value) === Object.prototype

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

  /** @param into the object that stood under the same key before; what is read is added to it */
  read(into?: JsonObject): JsonValue {
    const code = this.skip()
    if (code === 0x7b) return this.object(into ?? {})
    if (code === 0x5b) return this.array()
    return parseJson(this.literal(), 'verbatim')
  }

  private object(object: JsonObject): JsonObject {
    this.at++
    while (this.skip() !== 0x7d) {
      const key = JSON.parse(this.literal()) as string
      const before = Object.hasOwn(object, key) ? object[key] : undefined
      setKey(object, key, this.read(isPlainObject(before) ? before : undefined))
    }
    this.at++
    return object
  }

  private array(): JsonValue[] {
    const array: JsonValue[] = []
    this.at++
    while (this.skip() !== 0x5d) array.push(this.read())
    this.at++
    return array
  }
}

/** @param text which parseJson took */
export function parseMerged(text: string): JsonValue {
  return new Reader(text).read()
}
