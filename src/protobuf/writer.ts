/**
 * Writes the wire format of protobuf from the end of a message to its beginning: the length that stands in front of a message
 * or a text is known when what it counts has been written, so nothing is measured before.
 */

const initialBytes = 64 * 1024
/** A buffer that was larger is not kept for the next message. */
const keptBytes = 1024 * 1024
/** Texts up to here are copied character by character, which is cheaper than a call of the runtime. */
const shortText = 256
/** And bytes up to here. */
const shortBytes = 24
/** And parts of others, of which a view would have to be made first. */
const shortRange = 64
const encoder = new TextEncoder()

const MAX_UINT32 = 0xffff_ffff

/** How many bytes an integer below 2^32 takes. */
function varintSize(value: number): number {
  if (value < 0x80) return 1
  if (value < 0x4000) return 2
  if (value < 0x20_0000) return 3
  return value < 0x1000_0000 ? 4 : 5
}

/** How many bytes something takes with its length in front. */
export const encodedLength = (length: number): number => varintSize(length) + length

/** Puts a length, which is below 2^32, to `at`; gives what is behind it. */
export function setVarint(bytes: Uint8Array, at: number, value: number): number {
  let next = at
  let rest = value
  for (; rest >= 0x80; rest >>>= 7) bytes[next++] = (rest & 0x7f) | 0x80
  bytes[next++] = rest
  return next
}

/** Everything is put in front of what is there already. */
export class Writer {
  private bytes: Uint8Array<ArrayBuffer>
  /** Where the first byte stands that was written. */
  private at: number

  /** @param room for so many bytes at first */
  constructor(room = initialBytes) {
    this.bytes = new Uint8Array(room)
    this.at = room
  }

  /** How many bytes were written. */
  get length(): number {
    return this.bytes.length - this.at
  }

  /** All that was written, as a copy; the writer is empty then. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.bytes.slice(this.at)
    this.clear()
    return taken
  }

  /** Forgets what was written. */
  clear(): void {
    if (this.bytes.length > keptBytes) this.bytes = new Uint8Array(initialBytes)
    this.at = this.bytes.length
  }

  private reserve(count: number): void {
    if (this.at >= count) return
    const { length } = this
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, length + count))
    grown.set(this.bytes.subarray(this.at), grown.length - length)
    this.at = grown.length - length
    this.bytes = grown
  }

  writeByte(byte: number): void {
    this.reserve(1)
    this.bytes[--this.at] = byte
  }

  /** Bytes without a length. */
  writeBytes(given: Uint8Array): void {
    const { length } = given
    this.reserve(length)
    this.at -= length
    if (length > shortBytes) {
      this.bytes.set(given, this.at)
      return
    }
    const { bytes, at } = this
    for (let i = 0; i < length; i++) bytes[at + i] = given[i] as number
  }

  /** A whole number that is not negative and below 2^53: a tag, a length, most values. */
  writeVarint(value: number): void {
    if (value < 0x80) this.writeByte(value)
    else if (value <= MAX_UINT32) this.writeLongVarint(value)
    else this.writeWideVarint(BigInt(value))
  }

  private writeLongVarint(value: number): void {
    const size = varintSize(value)
    this.reserve(size)
    this.at -= size
    setVarint(this.bytes, this.at, value)
  }

  /** Any integer of 64 bits, negative ones as their complement. */
  writeWideVarint(value: bigint): void {
    const groups: number[] = []
    for (let rest = BigInt.asUintN(64, value); ; rest >>= 7n) {
      const group = Number(rest & 0x7fn)
      if (rest < 0x80n) {
        groups.push(group)
        break
      }
      groups.push(group | 0x80)
    }
    this.writeBytes(Uint8Array.from(groups))
  }

  /** A text with its length in front. Half a pair of surrogates becomes U+FFFD. */
  writeText(text: string): void {
    const { length } = text
    if (length > shortText) {
      this.writeEncoded(encoder.encode(text))
      return
    }
    this.reserve(length)
    const { bytes } = this
    let { at } = this
    for (let i = length - 1; i >= 0; i--) {
      const code = text.charCodeAt(i)
      if (code > 0x7f) {
        this.writeEncoded(encoder.encode(text))
        return
      }
      bytes[--at] = code
    }
    this.at = at
    this.writeVarint(length)
  }

  /** Bytes with their length in front. */
  writeEncoded(given: Uint8Array): void {
    this.writeBytes(given)
    this.writeVarint(given.length)
  }

  /** A part of other bytes, with its length in front. */
  writeRange(given: Uint8Array, start: number, end: number): void {
    const length = end - start
    if (length > shortRange) {
      this.writeEncoded(given.subarray(start, end))
      return
    }
    this.reserve(length)
    this.at -= length
    const { bytes, at } = this
    for (let i = 0; i < length; i++) bytes[at + i] = given[start + i] as number
    this.writeVarint(length)
  }

  /** A number of 64 bits with a floating point. */
  writeDouble(value: number): void {
    this.writeBytes(new Uint8Array(Float64Array.of(value).buffer))
  }

  /** A number of 32 bits with a floating point. */
  writeFloat(value: number): void {
    this.writeBytes(new Uint8Array(Float32Array.of(value).buffer))
  }
}

const shared = new Writer()

/**
 * The bytes of what `write` writes, with a writer that is used again: `write` must not do the same in it.
 * What it throws is thrown.
 */
export function written(write: (writer: Writer) => void): Uint8Array<ArrayBuffer> {
  shared.clear()
  write(shared)
  return shared.take()
}
