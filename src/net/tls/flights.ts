/** The messages of one handshake, in both directions, with the record of all of them. */
import { TlsError } from './bytes.ts'
import { type HandshakeMessage, HandshakeMessages } from './handshake-messages.ts'
import { type RecordLayer, type RecordProtection, recordTypes, unexpectedMessage } from './records.ts'

/** Reports a message that must not come now. */
export const unexpected = (type: number): TlsError => new TlsError(`local error: tls: unexpected message (${type})`)

/** Sends and receives the messages of a handshake. */
export class Flights {
  readonly records: RecordLayer
  /** All messages so far. */
  readonly transcript: Uint8Array[] = []
  readonly #messages = new HandshakeMessages()

  constructor(records: RecordLayer) {
    this.records = records
  }

  /** Changes the key of the server's records. @throws TlsError if the earlier key, or none, has protected a part of a message */
  receiveWith(protection: RecordProtection): void {
    if (!this.#messages.isAtBoundary) throw unexpectedMessage()
    this.records.receiveWith(protection)
  }

  /** Reads the record after which the server's records are protected in TLS 1.2. @throws TlsError if another one comes */
  async changeReceived(protection: RecordProtection): Promise<void> {
    if (!this.#messages.isAtBoundary) throw unexpectedMessage()
    await this.records.readChangeCipherSpec()
    this.records.receiveWith(protection)
  }

  async send(whole: Uint8Array): Promise<void> {
    this.transcript.push(whole)
    await this.records.write(recordTypes.handshake, whole)
  }

  /** Reads a message of a type. @throws TlsError for another one */
  async expect(type: number): Promise<Uint8Array> {
    const next = await this.next()
    if (next.type !== type) throw unexpected(next.type)
    return next.body
  }

  /** Reads the next message. @throws TlsError if the connection ends */
  async next(): Promise<HandshakeMessage> {
    for (;;) {
      const next = this.#messages.next()
      if (next !== undefined) {
        this.transcript.push(next.whole)
        return next
      }
      const record = await this.records.read()
      if (record === undefined) throw new TlsError('EOF')
      if (record.type !== recordTypes.handshake) throw unexpected(record.type)
      this.#messages.push(record.content)
    }
  }
}
