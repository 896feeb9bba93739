/** The variables of one replay, with which requests are completed and answers become equal on all servers. */
import { randomBytes } from 'node:crypto'
import type { JsonObject, JsonValue, RawNumber } from '../src/go/json-value.ts'

const timeKey = /(Timestamp|Time|^time)$/
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const days = [-1, 0, 1].map((day) => new Date(Date.now() + day * 86400e3).toISOString().slice(0, 10))
/** Matches a timestamp made by the server: with today's, yesterday's or tomorrow's date. */
const now = new RegExp(`(${days.join('|')})T\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z`, 'g')
const pointer = /0x[0-9a-f]{8,}/g
const quotedVersion = /(resourceVersion\\*":\\*")\d+/g
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

const ports: ReadonlySet<string> = new Set(['nodePort', 'healthCheckNodePort'])
const addresses: ReadonlySet<string> = new Set(['clusterIP', 'clusterIPs'])

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a list's metadata without its version, which is that of the last write to any object. */
const ofList = (metadata: JsonValue): JsonValue =>
  isObject(metadata) && metadata.resourceVersion ? { ...metadata, resourceVersion: '<list-rv>' } : metadata

/**
 * The variables of one replay: `NS`, the name of its namespace, `RAND`, a random text, and those that steps save. Resource versions
 * are numbered in order of appearance.
 */
export class Variables {
  readonly namespace: string
  readonly #values = new Map<string, JsonValue | undefined>()
  readonly #versions = new Map<string, string>()
  readonly #random = randomBytes(3).toString('hex')
  /** The variables that answers contain, the longest first: one may contain another. */
  #replaced: readonly { readonly text: string; readonly pattern: RegExp | string; readonly placeholder: string }[] = []

  constructor(name: string) {
    this.namespace = `${name}-${randomBytes(3).toString('hex')}`.slice(0, 60)
    this.set('NS', this.namespace)
    // Begins with a letter, so that its capitalised form can be told.
    this.set('RAND', `r${this.#random}`)
  }

  set(name: string, value: JsonValue | undefined): void {
    this.#values.set(name, value)
    this.#replaced = [...this.#values]
      .filter(([, each]) => each && String(each).length > 3)
      .map(([variable, each]) => ({ text: String(each), pattern: patternOf(String(each)), placeholder: `<${variable}>` }))
      .sort((one, other) => other.text.length - one.text.length)
  }

  /** Replaces the variables of a text. */
  expandText(text: string): string {
    return text.replace(/\$\{(\w+)\}/g, (whole, name: string) => String(this.#values.get(name) ?? whole))
  }

  /** Replaces the variables in all texts and keys of a value. */
  expand(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.expandText(value)
    if (Array.isArray(value)) return value.map((each) => this.expand(each))
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [this.expandText(key), this.expand(each)]))
  }

  /** Replaces the parts of a text that differ in every replay. */
  normaliseText(text: string): string {
    const settled = text
      .replace(uuid, '<uid>')
      .replace(now, '<time>')
      .replace(pointer, '<pointer>')
      .replace(/selfType\d+/g, 'selfType<n>')
      .replace(quotedVersion, '$1<rv>')
      .replaceAll(`R${this.#random}`, '<Rand>')
    return this.#replaced.reduce((result, { pattern, placeholder }) => result.replaceAll(pattern, () => placeholder), settled)
  }

  /**
   * Replaces the values that differ in every replay, and orders keys.
   * @param ignore paths of fields that are not compared
   */
  normalise(value: JsonValue, ignore: readonly string[] = [], key = '', path = ''): JsonValue {
    if (ignore.includes(path)) return '<ignored>'
    if (Array.isArray(value)) return value.map((each, index) => this.normalise(each, ignore, key, `${path}[${index}]`))
    if (!isObject(value)) return this.#normaliseField(key, value)
    const isList = Array.isArray(value.items) || Array.isArray(value.rows)
    const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
    return Object.fromEntries(
      entries.map(([name, field]) => [
        this.normaliseText(name),
        this.normalise(isList && name === 'metadata' ? ofList(field) : field, ignore, name, path ? `${path}.${name}` : name),
      ]),
    )
  }

  #normaliseField(key: string, value: null | boolean | number | string | RawNumber): JsonValue {
    if (typeof value !== 'string') return ports.has(key) ? '<port>' : value
    if (key === 'resourceVersion') return value.startsWith('<') ? value : this.#version(value)
    if (key === 'uid') return value && '<uid>'
    if (key === 'continue') return value && '<continue>'
    if (key === 'token') return '<token>'
    if (addresses.has(key) && value && value !== 'None') return '<ip>'
    return timeKey.test(key) && rfc3339.test(value) ? '<time>' : this.normaliseText(value)
  }

  #version(version: string): string {
    if (version === '' || version === '0') return version
    const placeholder = this.#versions.get(version) ?? `<rv:${this.#versions.size + 1}>`
    this.#versions.set(version, placeholder)
    return placeholder
  }
}

/** Returns a variable's value as a pattern: a saved number, such as a resourceVersion, is replaced only if it stands alone. */
const patternOf = (value: string): RegExp | string =>
  /^\d+$/.test(value) ? new RegExp(`(?<![0-9])${value}(?![0-9])`, 'g') : value
