/**
 * Writes the wire format of protobuf from the end of a message to its beginning: the length before a message or text is known
 * when its content has been written, so nothing has to be measured first.
 */

const initialBytes = 64 * 1024
/** A larger buffer is not kept for the next message. */
const keptBytes = 1024 * 1024
/** Texts up to this length are copied character by character, which is cheaper than a call of the runtime. */
const shortText = 256
/** Byte arrays up to this length are copied byte by byte. */
const shortBytes = 24
/** Ranges of byte arrays up to this length are copied byte by byte, because a longer copy needs a view first. */
const shortRange = 64
const encoder = new TextEncoder()

const MAX_UINT32 = 0xffff_ffff

/** Returns the size in bytes of an integer below 2^32. */
function varintSize(value: number): number {
  if (value < 0x80) return 1
  if (value < 0x4000) return 2
  if (value < 0x20_0000) return 3
  return value < 0x1000_0000 ? 4 : 5
}

/** Returns the size in bytes of length-delimited content. */
export const encodedLength = (length: number): number => varintSize(length) + length

/** Writes a length below 2^32 at `at`. @returns the position after it */
export function setVarint(bytes: Uint8Array, at: number, value: number): number {
  let next = at
  let rest = value
  for (; rest >= 0x80; rest >>>= 7) bytes[next++] = (rest & 0x7f) | 0x80
  bytes[next++] = rest
  return next
}

/** Writes each value before those that are already written. */
export class Writer {
  private bytes: Uint8Array<ArrayBuffer>
  /** The position of the first written byte. */
  private at: number

  /** @param room the initial size in bytes */
  constructor(room = initialBytes) {
    this.bytes = new Uint8Array(room)
    this.at = room
  }

  /** The number of bytes written. */
  get length(): number {
    return this.bytes.length - this.at
  }

  /** Returns a copy of the written bytes and empties the writer. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.bytes.slice(this.at)
    this.clear()
    return taken
  }

  /** Drops the written bytes. */
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

  /** Writes bytes without a length. */
  writeBytes(source: Uint8Array): void {
    const { length } = source
    this.reserve(length)
    this.at -= length
    if (length > shortBytes) {
      this.bytes.set(source, this.at)
      return
    }
    const { bytes, at } = this
    for (let i = 0; i < length; i++) bytes[at + i] = source[i] as number
  }

  /** Writes a non-negative integer below 2^53: a tag, a length, most values. */
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

  /** Writes any 64-bit integer; negative ones in two's complement. */
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

  /** Writes a length-delimited text. A lone surrogate becomes U+FFFD. */
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

  /** Writes length-delimited bytes. */
  writeEncoded(source: Uint8Array): void {
    this.writeBytes(source)
    this.writeVarint(source.length)
  }

  /** Writes a length-delimited range of other bytes. */
  writeRange(source: Uint8Array, start: number, end: number): void {
    const length = end - start
    if (length > shortRange) {
      this.writeEncoded(source.subarray(start, end))
      return
    }
    this.reserve(length)
    this.at -= length
    const { bytes, at } = this
    for (let i = 0; i < length; i++) bytes[at + i] = source[start + i] as number
    this.writeVarint(length)
  }

  /** Writes a 64-bit float. */
  writeDouble(value: number): void {
    this.writeBytes(new Uint8Array(Float64Array.of(value).buffer))
  }

  /** Writes a 32-bit float. */
  writeFloat(value: number): void {
    this.writeBytes(new Uint8Array(Float32Array.of(value).buffer))
  }
}

const shared = new Writer()

/** Returns the bytes that `write` writes to a shared writer. `write` must not call this function. Its errors are thrown. */
export function encodeMessage(write: (writer: Writer) => void): Uint8Array<ArrayBuffer> {
  shared.clear()
  write(shared)
  return shared.take()
}
