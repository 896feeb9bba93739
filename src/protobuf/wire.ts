/** Reads the wire format of protobuf as the code that gogo/protobuf generates, with the same errors. */

import { MAX_DEPTH } from '../go/json-syntax.ts'
import { replaceInvalid } from '../go/utf8.ts'
import { ApiError } from '../meta/errors.ts'

/** 400: the bytes are not a message of their type. The message is that of Go's generated Unmarshal. */
export class WireError extends ApiError {
  constructor(message: string) {
    super(400, 'BadRequest', message)
  }
}

/** The wire types of values; groups are skipped. */
export type WireType = 0 | 1 | 2 | 5

export const VARINT = 0
export const FIXED64 = 1
export const LENGTH_DELIMITED = 2
export const FIXED32 = 5
const START_GROUP = 3
const END_GROUP = 4

const unexpectedEnd = (): WireError => new WireError('unexpected EOF')
const overflow = (): WireError => new WireError('proto: integer overflow')
const negativeLength = (): WireError => new WireError('proto: negative length found during unmarshaling')

/**
 * Reads the bytes of a message. `end` is the end of the current message. All methods throw WireError; a reader cannot be used
 * after that.
 */
export class Reader {
  position: number
  end: number
  /** The lower and the upper half of the 64 bits that `readVarint` read last. */
  low = 0
  high = 0
  /** The wire type of the last tag. */
  wireType = 0
  private readonly bytes: Buffer
  /** The bytes as characters: ASCII texts are slices of it, without a copy. */
  private readonly latin1: string
  private depth = 0

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.latin1 = this.bytes.toString('latin1')
    this.position = 0
    this.end = bytes.byteLength
  }

  private readByte(): number {
    if (this.position >= this.end) throw unexpectedEnd()
    return this.bytes[this.position++] ?? 0
  }

  /** Reads a 64-bit integer into `low` and `high`. Further bits are dropped. */
  readVarint(): void {
    const first = this.readByte()
    this.low = first & 0x7f
    this.high = 0
    if (first >= 0x80) this.readLongVarint()
  }

  private readLongVarint(): void {
    for (let shift = 7; ; shift += 7) {
      if (shift >= 64) throw overflow()
      const byte = this.readByte()
      const bits = byte & 0x7f
      if (shift < 32) this.low |= bits << shift
      if (shift >= 32) this.high |= bits << (shift - 32)
      else if (shift === 28) this.high |= bits >>> 4
      if (byte < 0x80) return
    }
  }

  /** The last integer as an unsigned one. */
  get unsigned(): bigint {
    return (BigInt(this.high >>> 0) << 32n) | BigInt(this.low >>> 0)
  }

  /** Reads a tag: sets `wireType` and returns the field number. `message` is the message's name for errors. */
  readTag(message: string): number {
    this.readVarint()
    this.wireType = this.low & 7
    if (this.wireType === END_GROUP) throw new WireError(`proto: ${message}: wiretype end group for non-group`)
    const number = this.fieldNumber
    if (number <= 0) throw new WireError(`proto: ${message}: illegal tag ${number} (wire type ${this.unsigned})`)
    return number
  }

  /** Reads a tag in a map entry, which Go does not check, and returns the field number. */
  readEntryTag(): number {
    this.readVarint()
    return this.fieldNumber
  }

  private get fieldNumber(): number {
    return (this.low >>> 3) | (this.high << 29)
  }

  /** Reads a length and returns the end of the following value. */
  readEnd(): number {
    this.readVarint()
    if (this.high < 0) throw negativeLength()
    const end = this.position + this.high * 2 ** 32 + (this.low >>> 0)
    if (end > this.end) throw unexpectedEnd()
    return end
  }

  /** Reads a length-delimited text. */
  readText(): string {
    const end = this.readEnd()
    const start = this.position
    this.position = end
    const { bytes } = this
    let bits = 0
    for (let at = start; at < end; at++) bits |= bytes[at] as number
    return bits < 0x80 ? this.latin1.slice(start, end) : this.wideText(start, end)
  }

  private wideText(start: number, end: number): string {
    const text = this.bytes.toString('utf8', start, end)
    return text.includes('\ufffd') ? replaceInvalid(this.latin1.slice(start, end)) : text
  }

  /** Reads length-delimited bytes as base64. */
  readBase64(): string {
    const end = this.readEnd()
    const start = this.position
    this.position = end
    return this.bytes.toString('base64', start, end)
  }

  /** Reads length-delimited bytes; they are shared, not copied. */
  readBytes(): Uint8Array {
    const end = this.readEnd()
    const start = this.position
    this.position = end
    return this.bytes.subarray(start, end)
  }

  /** Reads a 64-bit float. */
  readDouble(): number {
    this.position += 8
    if (this.position > this.end) throw unexpectedEnd()
    return this.bytes.readDoubleLE(this.position - 8)
  }

  /** Reads a 32-bit float. */
  readFloat(): number {
    this.position += 4
    if (this.position > this.end) throw unexpectedEnd()
    return this.bytes.readFloatLE(this.position - 4)
  }

  /**
   * Begins a length-delimited message: sets `end` to its end. Returns the argument for `leave`. Messages may be nested as deep as
   * JSON; in Go only the stack bounds them.
   */
  enter(): number {
    const inner = this.readEnd()
    const outer = this.end
    if (++this.depth > MAX_DEPTH) throw new WireError('exceeded max depth')
    this.end = inner
    return outer
  }

  /** Ends the message that was entered last. */
  leave(outer: number): void {
    this.end = outer
    this.depth--
  }

  /** Skips a field whose tag begins at `start`. */
  skip(start: number): void {
    this.position = start
    for (let groups = 0; ; ) {
      this.readVarint()
      const wireType = this.low & 7
      if (wireType === START_GROUP) groups++
      else if (wireType === END_GROUP) {
        if (groups-- === 0) throw new WireError('proto: unexpected end of group')
      } else this.skipValue(wireType)
      if (groups === 0) break
      if (this.position >= this.end) throw unexpectedEnd()
    }
    if (this.position > this.end) throw unexpectedEnd()
  }

  private skipValue(wireType: number): void {
    if (wireType === VARINT) this.readVarint()
    else if (wireType === FIXED64) this.position += 8
    else if (wireType === FIXED32) this.position += 4
    else if (wireType === LENGTH_DELIMITED) this.position = this.readEnd()
    else throw new WireError(`proto: illegal wireType ${wireType}`)
  }
}
