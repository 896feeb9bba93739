/** Writes YAML as sigs.k8s.io/yaml does: block style, sorted keys, lists not indented under their key. */
import { isRawNumber } from '../go/json.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { compareKeys } from './keys.ts'
import { isSimpleKey, numberScalar, type TextPosition, textScalar } from './scalar.ts'

/** A list or a map of which some entries are written. */
interface Frame {
  /** The entries of a list, or the keys of a map in their order. */
  readonly entries: readonly JsonValue[]
  /** The map; undefined for a list. */
  readonly map: JsonObject | undefined
  readonly indent: number
  next: number
}

function scalar(value: JsonValue, place: TextPosition): string {
  if (typeof value === 'string') return textScalar(value.isWellFormed() ? value : value.toWellFormed(), place)
  if (Array.isArray(value)) return '[]'
  if (isRawNumber(value)) return numberScalar(value.rawJSON)
  const json = JSON.stringify(value)
  return typeof value === 'number' ? numberScalar(json) : json
}

/** Returns a frame for a non-empty list or map, which needs lines of its own. */
function frameOf(value: JsonValue, indent: number): Frame | undefined {
  if (value === null || typeof value !== 'object' || isRawNumber(value)) return undefined
  if (Array.isArray(value)) return value.length === 0 ? undefined : { entries: value, map: undefined, indent, next: 0 }
  const map = value as JsonObject
  const keys = Object.keys(map)
  return keys.length === 0 ? undefined : { entries: keys.sort(compareKeys), map, indent, next: 0 }
}

/** Keys in their written form; few different keys occur. */
const nameCache = new Map<string, string>()
const mostNames = 2_000
const longestName = 40

/** Returns a key with its colon, if it is a simple key, on the line of its value. */
function nameOf(key: string, indent: number): string {
  const cached = nameCache.get(key)
  if (cached !== undefined) return cached
  const name = `${textScalar(key.toWellFormed(), { column: indent, indent: indent + 2, folds: false })}:`
  if (key.length <= longestName && nameCache.size < mostNames) nameCache.set(key, name)
  return name
}

/** Writes a value in parts of a requested length; a text is never split. */
export class YamlWriter {
  readonly #frames: Frame[] = []
  readonly #margins: string[] = []
  #out = ''

  constructor(value: JsonValue) {
    this.#put(value, 0, 0)
  }

  /**
   * Returns at least this many further characters, or the rest of the document, which ends in a newline; undefined after the end.
   */
  next(length: number): string | undefined {
    for (;;) {
      const frame = this.#frames.at(-1)
      if (frame === undefined || this.#out.length >= length) break
      if (frame.next === frame.entries.length) {
        this.#frames.pop()
        if (this.#frames.length === 0) this.#out += '\n'
      } else if (frame.map === undefined) this.#item(frame)
      else this.#entry(frame, frame.map)
    }
    const written = this.#out
    this.#out = ''
    return written === '' ? undefined : written
  }

  #margin(indent: number): string {
    let margin = this.#margins[indent]
    if (margin === undefined) {
      margin = `\n${' '.repeat(indent)}`
      if (indent < 100) this.#margins[indent] = margin
    }
    return margin
  }

  #item(frame: Frame): void {
    const { entries, indent, next } = frame
    this.#out += next === 0 ? '- ' : `${this.#margin(indent)}- `
    frame.next++
    this.#put(entries[next] ?? null, indent + 2, indent + 2)
  }

  #entry(frame: Frame, map: JsonObject): void {
    const { entries, indent, next } = frame
    const key = entries[next] as string
    const value = map[key] ?? null
    if (next > 0) this.#out += this.#margin(indent)
    frame.next++
    if (!isSimpleKey(key)) {
      const written = scalar(key, { column: indent + 2, indent: indent + 2, folds: true })
      this.#out += `? ${written}${this.#margin(indent)}: `
      this.#put(value, indent + 2, indent + 2)
      return
    }
    const name = nameOf(key, indent)
    const inner = frameOf(value, Array.isArray(value) ? indent : indent + 2)
    if (inner === undefined) {
      this.#out += `${name} ${scalar(value, { column: indent + name.length + 1, indent: indent + 2, folds: true })}`
    } else {
      this.#out += `${name}${this.#margin(inner.indent)}`
      this.#frames.push(inner)
    }
  }

  /** Writes a value on the current line; a non-empty collection continues on lines of its own. */
  #put(value: JsonValue, column: number, indent: number): void {
    const frame = frameOf(value, indent)
    if (frame !== undefined) this.#frames.push(frame)
    else if (this.#frames.length > 0) this.#out += scalar(value, { column, indent, folds: true })
    else this.#out += `${scalar(value, { column, indent: indent + 2, folds: true })}\n`
  }
}

/** Writes a value as YAML with a newline at the end. */
export const renderYaml = (value: JsonValue): string => new YamlWriter(value).next(Number.POSITIVE_INFINITY) ?? ''
