import { joined } from './tls/bytes.ts'

/** Reads bytes that arrive in parts. */
export class PartReader {
  readonly #parts: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array()

  constructor(parts: AsyncIterable<Uint8Array>) {
    this.#parts = parts[Symbol.asyncIterator]()
  }

  /** Returns what has arrived, up to so many bytes; undefined at the end. */
  async some(most: number): Promise<Uint8Array | undefined> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#parts.next()
      if (done === true) return undefined
      this.#rest = value
    }
    const found = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(found.length)
    return found
  }

  /** Returns exactly so many bytes; undefined if there are fewer. */
  async all(length: number): Promise<Uint8Array | undefined> {
    const parts: Uint8Array[] = []
    for (let left = length; left > 0; ) {
      const part = await this.some(left)
      if (part === undefined) return undefined
      parts.push(part)
      left -= part.length
    }
    return joined(...parts)
  }
}
