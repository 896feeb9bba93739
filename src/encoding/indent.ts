/** Indents streamed JSON by two spaces. Numbers, escapes and the order of keys stay as written. */
import { nextSlice, Slicer } from '../meta/slices.ts'

/** The bytes of JSON that are indented in one slice, about 5 ms. */
const indentSlice = 1024 * 1024
/** The approximate number of bytes in one output chunk. */
const chunkBytes = 64 * 1024

const quote = 0x22
const backslash = 0x5c
const newline = 0x0a
const comma = 0x2c
const colon = 0x3a
const blank = 0x20
const opens = (byte: number): boolean => byte === 0x7b || byte === 0x5b
const closes = (byte: number): boolean => byte === 0x7d || byte === 0x5d

/**
 * Whether the quote at `at` is escaped and so belongs to the string.
 * @param before whether the previous chunk ended with a backslash that escapes the first byte of this one
 */
function isEscaped(bytes: Uint8Array, begin: number, at: number, before: boolean): boolean {
  let first = at
  while (first > begin && bytes[first - 1] === backslash) first--
  const backslashes = at - first
  return backslashes % 2 === (first === begin && before ? 0 : 1)
}

/**
 * Returns the position after the closing quote of a string, or -1 if the string does not end in these bytes.
 * @param begin a position inside the string
 * @param escaped whether the byte at `begin` is escaped by the previous chunk
 */
export function endOfString(bytes: Uint8Array, begin: number, escaped: boolean): number {
  for (let at = bytes.indexOf(quote, begin); at >= 0; at = bytes.indexOf(quote, at + 1)) {
    if (!isEscaped(bytes, begin, at, escaped)) return at + 1
  }
  return -1
}

/** Whether these bytes of a string end with a backslash that escapes the first byte of the next chunk. */
export const endsEscaping = (bytes: Uint8Array, begin: number, escaped: boolean): boolean =>
  isEscaped(bytes, begin, bytes.length, escaped)

/** Indents one JSON text that arrives in chunks. */
export class Indenter {
  #buffer = new Uint8Array(chunkBytes)
  #length = 0
  #depth = 0
  #isEmpty = false
  #inString = false
  #escaped = false

  /** Returns the bytes that `write` has not yielded yet. Call it at the end. */
  rest(): Uint8Array {
    const part = this.#buffer.subarray(0, this.#length)
    this.#buffer = new Uint8Array(chunkBytes)
    this.#length = 0
    return part
  }

  /** Indents the next bytes of the text and yields full chunks. */
  *write(bytes: Uint8Array): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length; ) {
      if (this.#inString) {
        const end = endOfString(bytes, at, this.#escaped)
        this.#escaped = end < 0 && endsEscaping(bytes, at, this.#escaped)
        const until = end < 0 ? bytes.length : end
        yield* this.#copy(bytes, at, until)
        this.#inString = end < 0
        at = until
        continue
      }
      // Space for one token: a line break with its indentation, and the bytes before and after it.
      const room = 2 * this.#depth + 8
      if (this.#length + room > this.#buffer.length) {
        yield this.rest()
        if (room > this.#buffer.length) this.#buffer = new Uint8Array(room + chunkBytes)
      }
      this.#token(bytes[at++] as number)
    }
  }

  *#copy(bytes: Uint8Array, from: number, to: number): Generator<Uint8Array> {
    for (let at = from; at < to; ) {
      if (this.#length === this.#buffer.length) yield this.rest()
      const part = bytes.subarray(at, Math.min(to, at + this.#buffer.length - this.#length))
      this.#buffer.set(part, this.#length)
      this.#length += part.length
      at += part.length
    }
  }

  #token(byte: number): void {
    if (byte === blank || byte === newline || byte === 0x09 || byte === 0x0d) return
    const isEnd = closes(byte)
    if (isEnd) this.#depth--
    if (isEnd ? !this.#isEmpty : this.#isEmpty) this.#newLine()
    this.#isEmpty = opens(byte)
    this.#buffer[this.#length++] = byte
    if (this.#isEmpty) this.#depth++
    else if (byte === colon) this.#buffer[this.#length++] = blank
    else if (byte === comma) this.#newLine()
    else this.#inString = byte === quote
  }

  #newLine(): void {
    const end = this.#length + 1 + 2 * this.#depth
    this.#buffer[this.#length] = newline
    this.#buffer.fill(blank, this.#length + 1, end)
    this.#length = end
  }
}

/** Yields JSON indented by two spaces. */
export async function* indentedChunks(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const indenter = new Indenter()
  const slicer = new Slicer(indentSlice)
  for await (const bytes of source) {
    for (const chunk of indenter.write(bytes)) {
      yield chunk
      if (slicer.due(chunk.byteLength)) await nextSlice()
    }
  }
  yield indenter.rest()
}
