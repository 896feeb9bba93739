/** The messages of the handshake protocol (RFC 8446, section 4), which may be divided among records. */
import { joined, TlsError, vector } from './bytes.ts'

/** The longest message: a long chain of certificates. */
const longestMessage = 256 * 1024

/** The types of messages. */
export const messageTypes = {
  clientHello: 1,
  serverHello: 2,
  newSessionTicket: 4,
  encryptedExtensions: 8,
  certificate: 11,
  serverKeyExchange: 12,
  certificateRequest: 13,
  serverHelloDone: 14,
  certificateVerify: 15,
  clientKeyExchange: 16,
  finished: 20,
  keyUpdate: 24,
} as const

/** A message. */
export interface HandshakeMessage {
  readonly type: number
  readonly body: Uint8Array
  /** The message with its type and length, as it goes into the transcript. */
  readonly whole: Uint8Array
}

/** Returns a whole message. */
export const message = (type: number, body: Uint8Array | readonly number[]): Uint8Array => joined([type], vector(3, body))

/** Joins the contents of records, and divides them into messages. */
export class HandshakeMessages {
  #pending: Uint8Array = new Uint8Array()

  /** Whether there is no part of a message: keys may only change here (section 5.1). */
  get isAtBoundary(): boolean {
    return this.#pending.length === 0
  }

  push(content: Uint8Array): void {
    this.#pending = joined(this.#pending, content)
  }

  /** Returns the next whole message. @throws TlsError if it is too long */
  next(): HandshakeMessage | undefined {
    if (this.#pending.length < 4) return undefined
    const [type = 0, high = 0, middle = 0, low = 0] = this.#pending
    const length = 4 + high * 65536 + middle * 256 + low
    if (length > longestMessage) throw new TlsError('local error: tls: error decoding message')
    if (this.#pending.length < length) return undefined
    const whole = this.#pending.slice(0, length)
    this.#pending = this.#pending.slice(length)
    return { type, body: whole.subarray(4), whole }
  }
}
