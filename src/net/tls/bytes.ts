/** Reads and writes the binary structures of TLS. */

/** Concatenates bytes. */
export function joined(...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Returns a big-endian number of some bytes. */
export const number = (value: number, bytes: 1 | 2 | 3): number[] =>
  Array.from({ length: bytes }, (_, index) => (value >>> (8 * (bytes - 1 - index))) & 0xff)

/** Returns a vector: its length, and its content. */
export function vector(lengthBytes: 1 | 2 | 3, ...content: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  const whole = joined(...content)
  return joined(number(whole.length, lengthBytes), whole)
}

/** Reports a message that does not follow the protocol. */
export class TlsError extends Error {}

/** Reads a structure from the beginning to the end. */
export class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Whether everything has been read. */
  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** @throws TlsError if there are fewer bytes */
  bytes(length: number): Uint8Array {
    if (this.#at + length > this.#bytes.length) throw new TlsError('tls: received malformed message')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  number(bytes: 1 | 2 | 3): number {
    return this.bytes(bytes).reduce((value, byte) => value * 256 + byte, 0)
  }

  vector(lengthBytes: 1 | 2 | 3): Uint8Array {
    return this.bytes(this.number(lengthBytes))
  }
}
