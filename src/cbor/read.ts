/**
 * Converts CBOR bodies to JSON as kube-apiserver reads them. Follows k8s.io/apimachinery/pkg/runtime/serializer/cbor: byte
 * strings are strings, and a tag may give their encoding in JSON (RFC 8949, section 3.4.5.2). Items that JSON cannot represent
 * are rejected.
 */
import { trimRight } from '../go/text.ts'
import { encodeBase64 } from '../schema/base64.ts'
import type { Type } from '../schema/type.ts'
import { CborError, floatBefore, type Head, headAt, major, majorTypes } from './heads.ts'
import { checkWellFormed, isBreak } from './well-formed.ts'

/** Tags with a meaning in JSON. */
const tags = { time: 0, epoch: 1, base64Url: 21, base64: 22, base16: 23 } as const

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })

const textOfTag: ReadonlyMap<number | bigint, (bytes: Uint8Array) => string> = new Map([
  [
    tags.base64Url,
    (bytes) =>
      encodeBase64([...bytes])
        .replaceAll('+', '-')
        .replaceAll('/', '_')
        .replaceAll('=', ''),
  ],
  [tags.base64, (bytes) => encodeBase64([...bytes])],
  [tags.base16, (bytes) => Buffer.from(bytes).toString('hex')],
])

/** The simple value for null. */
const nullValue = 22

const maximumInt64 = 2n ** 63n - 1n

/** Types that must be strings in CBOR, although JSON also accepts numbers for some of them. */
const textTypes: ReadonlySet<string> = new Set(['quantity', 'time', 'microTime'])

const mayBeText = ({ major: type, argument }: Head): boolean =>
  type === major.bytes || type === major.text || type === major.tag || (type === major.simple && argument === nullValue)

class Reader {
  readonly #view: DataView
  readonly #bytes: Uint8Array
  #at = 0
  /** The number of maps and arrays around the next item. */
  #depth = 0

  readonly #goName: string
  /** The current key of the outermost map. */
  #member = ''

  constructor(bytes: Uint8Array, goName: string) {
    this.#bytes = bytes
    this.#goName = goName
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** Returns the JSON of the next item. If the type is bytes, in base64. */
  value(type: Type | undefined): string {
    const head = this.#head()
    if (type !== undefined && textTypes.has(type.kind) && !mayBeText(head)) throw this.#mistyped(head, 'string')
    if (head.major <= major.negative) return this.#integer(head)
    if (head.major === major.simple) return this.#simple(head)
    if (head.major === major.tag) return this.#tagged(head, type)
    if (head.major === major.array) return this.#array(head, type)
    if (head.major === major.map) return this.#map(head, type)
    if (type?.kind === 'bytes' && head.major === major.text) throw this.#mistyped(head, type.go)
    return JSON.stringify(this.#string(head))
  }

  #head(): Head {
    const head = headAt(this.#view, this.#at)
    this.#at = head.end
    return head
  }

  #integer({ major: type, argument }: Head): string {
    const value = type === major.positive ? BigInt(argument) : -1n - BigInt(argument)
    if (value <= maximumInt64 && value >= -maximumInt64 - 1n) return String(value)
    const majorType = majorTypes[type]
    throw new CborError(`cbor: cannot unmarshal ${majorType} into Go value of type int64 (${value} overflows Go's int64)`)
  }

  #simple(head: Head): string {
    if (head.information > 24) return floatText(floatBefore(this.#view, head))
    const text = ['false', 'true', 'null'][Number(head.argument) - 20]
    if (text !== undefined) return text
    const reason = `simple value ${head.argument} is not recognized`
    throw new CborError(`cbor: data item of cbor type primitives is not accepted by protocol: ${reason}`)
  }

  #tagged({ argument: tag }: Head, type: Type | undefined): string {
    const textOf = textOfTag.get(tag)
    const next = headAt(this.#view, this.#at)
    if (textOf !== undefined && next.major === major.bytes) {
      const bytes = this.#stringBytes(this.#head())
      return JSON.stringify(type?.kind === 'bytes' ? encodeBase64([...bytes]) : textOf(bytes))
    }
    if (tag === tags.time && next.major !== major.text) throw misplacedTag(tag, 'text string', next)
    if (tag !== tags.epoch) return this.value(type)
    if (next.major !== major.positive && next.major !== major.negative && !(next.major === major.simple && next.information > 24))
      throw misplacedTag(tag, 'integer or floating-point number', next)
    return JSON.stringify(timeText(Number(this.value(undefined))))
  }

  #string(head: Head): string {
    const bytes = this.#stringBytes(head)
    if (head.major === major.bytes) return lenient.decode(bytes)
    try {
      return strict.decode(bytes)
    } catch {
      throw new CborError('cbor: invalid UTF-8 string')
    }
  }

  #stringBytes({ argument, isIndefinite }: Head): Uint8Array {
    if (!isIndefinite) {
      const start = this.#at
      this.#at += Number(argument)
      return this.#bytes.subarray(start, this.#at)
    }
    const chunks: Uint8Array[] = []
    while (!this.#isAtBreak()) chunks.push(this.#stringBytes(this.#head()))
    return Buffer.concat(chunks)
  }

  /** Whether the current item of indefinite length ends here; if so, skips its end. */
  #isAtBreak(): boolean {
    const isAtBreak = isBreak(this.#view, this.#at)
    if (isAtBreak) this.#at++
    return isAtBreak
  }

  *#elements({ argument, isIndefinite }: Head): Generator<number> {
    for (let index = 0; isIndefinite ? !this.#isAtBreak() : index < argument; index++) yield index
  }

  #array(head: Head, type: Type | undefined): string {
    const element = type?.kind === 'list' ? type.element : undefined
    const parts: string[] = []
    this.#depth++
    for (const _index of this.#elements(head)) parts.push(this.value(element))
    this.#depth--
    return `[${parts.join(',')}]`
  }

  #map(head: Head, type: Type | undefined): string {
    const keys = new Set<string>()
    const parts: string[] = []
    this.#depth++
    for (const index of this.#elements(head)) {
      const keyHead = this.#head()
      if (keyHead.major !== major.bytes && keyHead.major !== major.text) throw mistyped(keyHead, 'Go value of type string')
      const key = this.#string(keyHead)
      if (keys.has(key)) throw this.#duplicate(key, index)
      keys.add(key)
      if (this.#depth === 1) this.#member = key
      parts.push(`${JSON.stringify(key)}:${this.value(typeOfMember(type, key))}`)
    }
    this.#depth--
    return `{${parts.join(',')}}`
  }

  /**
   * Returns the error for a value of the wrong type. It contains the type of the whole body and its outermost key, at any depth.
   */
  #mistyped(head: Head, go: string): CborError {
    return mistyped(head, `Go struct field ${this.#goName}.${this.#member} of type ${go}`)
  }

  #duplicate(key: string, index: number): CborError {
    return new CborError(`cbor: found duplicate map key "${key}" at map element index ${index}`, this.#depth === 1)
  }
}

/** Returns the type of the value under a key; undefined if it is not known. */
export function typeOfMember(type: Type | undefined, key: string): Type | undefined {
  if (type?.kind === 'map') return type.value
  return type?.kind === 'struct' ? type.fields.get(key)?.type : undefined
}

const mistyped = (head: Head, into: string, isOutermost = false): CborError =>
  new CborError(`cbor: cannot unmarshal ${majorTypes[head.major]} into ${into}`, isOutermost)

const misplacedTag = (tag: number | bigint, expected: string, { major: type }: Head): CborError =>
  new CborError(`cbor: tag number ${tag} must be followed by ${expected}, got ${majorTypes[type]}`)

/** Formats a float so that it remains recognisable as one: integer fields reject it. */
function floatText(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value)
  return /[.e]/.test(text) ? text : `${text}.0`
}

/** Formats seconds since 1970 as RFC 3339. */
function timeText(seconds: number): string {
  const time = new Date(seconds * 1000)
  if (Number.isNaN(time.getTime())) throw new CborError(`cbor: ${seconds} is no time`)
  const [whole = '', fraction = ''] = time.toISOString().slice(0, -1).split('.')
  const digits = trimRight(fraction, '0')
  return `${whole}${digits === '' ? '' : `.${digits}`}Z`
}

/**
 * Checks that the bytes are one data item, a map. Null counts as an empty map.
 * @param into the Go type to decode into, for the message
 * @throws CborError if they are not
 */
export function checkCborMap(bytes: Uint8Array, into: string): void {
  checkWellFormed(bytes)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let head = headAt(view, 0)
  while (head.major === major.tag) head = headAt(view, head.end)
  const isNull = head.major === major.simple && head.argument === nullValue
  if (head.major !== major.map && !isNull) throw mistyped(head, `Go value of type ${into}`, true)
}

/**
 * Returns the JSON text of a CBOR body.
 * @param type the type of the body, if known: its byte fields become base64
 * @param goName Go's name of that type: `v1.Pod`
 * @throws CborError if the bytes are not CBOR, or contain an item that JSON cannot represent
 */
export function jsonOfCbor(bytes: Uint8Array, type?: Type, goName = ''): string {
  checkWellFormed(bytes)
  return new Reader(bytes, goName).value(type)
}
