/**
 * Writes CBOR as kube-apiserver does: strings and keys as byte strings, bytes with the tag for base64 in JSON, floats in the
 * shortest exact form, and the self-described tag in front. Keys are in the order of the object; kube-apiserver's order is
 * random. Follows k8s.io/apimachinery/pkg/runtime/serializer/cbor and RFC 8949.
 */
import { isRawNumber } from '../go/json.ts'
import type { JsonValue } from '../go/json-value.ts'
import type { Type } from '../schema/type.ts'
import { breakByte, major } from './heads.ts'
import { typeOfMember } from './read.ts'

/** The head of tag 55799 (self-described CBOR). */
export const selfDescribed: Uint8Array = Uint8Array.of(0xd9, 0xd9, 0xf7)

const simple = { false: 0xf4, true: 0xf5, null: 0xf6, float16: 0xf9, float32: 0xfa, float64: 0xfb } as const
const base64Tag = 22
const indefiniteMap = 0xbf
const indefiniteArray = 0x9f

const firstCapacity = 1024

/** A growing buffer of CBOR. */
export class CborWriter {
  #bytes = Buffer.allocUnsafe(firstCapacity)
  #length = 0

  /** Returns the bytes written so far. */
  finish(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#bytes.subarray(0, this.#length))
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.byteLength) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.byteLength * 2, this.#length + more))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.byteLength)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.byteLength
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  head(type: number, argument: number | bigint): void {
    this.#reserve(9)
    const bits = type << 5
    const at = this.#length
    if (argument < 24) this.#length = this.#bytes.writeUInt8(bits | Number(argument), at)
    else if (argument < 0x100) this.#length = this.#bytes.writeUInt16BE(((bits | 24) << 8) | Number(argument), at)
    else if (argument < 0x10000) this.#length = this.#bytes.writeUInt16BE(Number(argument), this.#bytes.writeUInt8(bits | 25, at))
    else if (argument < 0x100000000)
      this.#length = this.#bytes.writeUInt32BE(Number(argument), this.#bytes.writeUInt8(bits | 26, at))
    else this.#length = this.#bytes.writeBigUInt64BE(BigInt(argument), this.#bytes.writeUInt8(bits | 27, at))
  }

  /** Writes a string as a byte string. */
  string(text: string): void {
    const length = Buffer.byteLength(text)
    this.head(major.bytes, length)
    this.#reserve(length)
    this.#length += this.#bytes.write(text, this.#length)
  }

  integer(value: number | bigint): void {
    if (value >= 0) this.head(major.positive, value)
    else this.head(major.negative, typeof value === 'bigint' ? -1n - value : -1 - value)
  }

  float(value: number): void {
    this.#reserve(9)
    const half = halfOf(value)
    if (half !== undefined) {
      this.byte(simple.float16)
      this.#length = this.#bytes.writeUInt16BE(half, this.#length)
    } else if (Math.fround(value) === value) {
      this.byte(simple.float32)
      this.#length = this.#bytes.writeFloatBE(value, this.#length)
    } else {
      this.byte(simple.float64)
      this.#length = this.#bytes.writeDoubleBE(value, this.#length)
    }
  }

  beginMap(): void {
    this.byte(indefiniteMap)
  }

  beginArray(): void {
    this.byte(indefiniteArray)
  }

  /** Ends a map or an array of indefinite length. */
  end(): void {
    this.byte(breakByte)
  }

  /** Writes a value. `type` tells which strings are bytes, and which whole numbers are floats. */
  value(value: JsonValue, type: Type | undefined): void {
    if (value === null) this.byte(simple.null)
    else if (typeof value === 'boolean') this.byte(value ? simple.true : simple.false)
    else if (typeof value === 'number') this.#number(value, type)
    else if (typeof value === 'string') this.#text(value, type)
    else if (isRawNumber(value)) this.integer(BigInt(value.rawJSON))
    else if (Array.isArray(value)) {
      const element = type?.kind === 'list' ? type.element : undefined
      this.head(major.array, value.length)
      for (const item of value) this.value(item, element)
    } else {
      const members = Object.entries(value)
      this.head(major.map, members.length)
      this.members(members, type)
    }
  }

  members(members: readonly (readonly [string, JsonValue])[], type: Type | undefined): void {
    for (const [key, member] of members) {
      this.string(key)
      this.value(member, typeOfMember(type, key))
    }
  }

  #number(value: number, type: Type | undefined): void {
    const isFloat = type?.kind === 'float64' || type?.kind === 'float32'
    if (isFloat || !Number.isSafeInteger(value)) this.float(value)
    else this.integer(value)
  }

  #text(text: string, type: Type | undefined): void {
    if (type?.kind !== 'bytes') {
      this.string(text)
      return
    }
    const bytes = Buffer.from(text, 'base64')
    this.head(major.tag, base64Tag)
    this.head(major.bytes, bytes.byteLength)
    this.raw(bytes)
  }
}

/** Returns the bits of the 16-bit float with exactly this value; undefined if there is no such float. */
function halfOf(value: number): number | undefined {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0
  const size = Math.abs(value)
  if (size === 0) return sign
  const exponent = Math.floor(Math.log2(size))
  if (exponent > 15) return undefined
  const unit = 2 ** (Math.max(exponent, -14) - 10)
  const digits = size / unit
  if (!Number.isInteger(digits) || digits >= 2048) return undefined
  return exponent < -14 ? sign | digits : sign | ((exponent + 15) << 10) | (digits - 1024)
}

/** Encodes a value with the self-described tag. */
export function writeCbor(value: JsonValue, type?: Type): Uint8Array<ArrayBuffer> {
  const writer = new CborWriter()
  writer.raw(selfDescribed)
  writer.value(value, type)
  return writer.finish()
}
