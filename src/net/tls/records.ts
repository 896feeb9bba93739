/** The records of a TLS connection (RFC 8446, section 5, and RFC 5246, section 6). */
import { joined, number, TlsError } from './bytes.ts'

/** Both directions of a connection. */
export interface Duplex {
  readonly readable: ReadableStream<Uint8Array>
  readonly writable: WritableStream<Uint8Array>
}

/** The types of records. */
export const recordTypes = { changeCipherSpec: 20, alert: 21, handshake: 22, application: 23 } as const

const headerBytes = 5
/** The longest content of a record, and of a protected one. */
const longestContent = 16 * 1024
const longestSealed = longestContent + 256

/** Go's texts of alerts. */
const alerts: Readonly<Record<number, string>> = {
  10: 'unexpected message',
  20: 'bad record MAC',
  22: 'record overflow',
  40: 'handshake failure',
  42: 'bad certificate',
  43: 'unsupported certificate',
  44: 'revoked certificate',
  45: 'expired certificate',
  46: 'unknown certificate',
  47: 'illegal parameter',
  48: 'unknown certificate authority',
  49: 'access denied',
  50: 'error decoding message',
  51: 'error decrypting message',
  70: 'protocol version not supported',
  71: 'insufficient security level',
  80: 'internal error',
  86: 'inappropriate fallback',
  90: 'user canceled',
  109: 'missing extension',
  110: 'unsupported extension',
  112: 'unrecognized name',
  116: 'certificate required',
  120: 'no application protocol',
}

/** The maximum number of records in a row that carry nothing: a hostile server could send them for ever. Go has the same. */
const mostUseless = 16

/** Reports a record, or a handshake message, that must not come now. */
export const unexpectedMessage = (): TlsError => new TlsError('local error: tls: unexpected message')

const overflow = (): TlsError => new TlsError('local error: tls: record overflow')

/** A received record. */
export interface TlsRecord {
  readonly type: number
  readonly content: Uint8Array
}

/** Returns undefined for the alert that ends a connection. @throws TlsError for any other one */
function alerted({ content: [, code = 0] }: TlsRecord): undefined {
  if (code !== 0) throw new TlsError(`remote error: tls: ${alerts[code] ?? `alert(${code})`}`)
}

/** The protection of the records of one direction. */
export interface RecordProtection {
  /** Whether the type of a record is in its content, as in TLS 1.3. */
  readonly hidesTypes: boolean
  /** Protects the content of a record. @returns the whole record */
  seal(type: number, content: Uint8Array): Uint8Array
  /** Opens a record. @throws TlsError if it was not made with this key */
  open(header: Uint8Array, sealed: Uint8Array): TlsRecord
}

/** Reads and writes records. */
export class RecordLayer {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>
  #buffer: Uint8Array = new Uint8Array()
  #receiving: RecordProtection | undefined
  #sending: RecordProtection | undefined
  #useless = 0
  #hasWritten = false

  constructor({ readable, writable }: Duplex) {
    this.#reader = readable.getReader()
    this.#writer = writable.getWriter()
  }

  receiveWith(protection: RecordProtection): void {
    this.#receiving = protection
  }

  sendWith(protection: RecordProtection): void {
    this.#sending = protection
  }

  /** Reads until there are so many bytes. @returns false if the connection has ended before */
  async #fill(length: number): Promise<boolean> {
    while (this.#buffer.length < length) {
      const { done, value } = await this.#reader.read()
      if (done) return false
      this.#buffer = this.#buffer.length === 0 ? value : joined(this.#buffer, value)
    }
    return true
  }

  /**
   * Reads a record; undefined at the end of the connection, also without close_notify, as Go does.
   * @throws TlsError for an alert, for a record that must not come now, and for anything that is not TLS
   */
  async read(): Promise<TlsRecord | undefined> {
    for (;;) {
      const record = await this.#readAny()
      if (record === undefined) return undefined
      if (record.type === recordTypes.alert) return alerted(record)
      if (record.content.length > 0 && record.type !== recordTypes.changeCipherSpec) {
        if (record.type === recordTypes.application) this.#useless = 0
        return record
      }
      if (record.type === recordTypes.handshake) throw unexpectedMessage()
      this.countUseless()
    }
  }

  /** Reads the record after which those of TLS 1.2 are protected. @throws TlsError for another one */
  async readChangeCipherSpec(): Promise<void> {
    const record = await this.#readAny()
    if (record?.type === recordTypes.alert) alerted(record)
    if (record?.type !== recordTypes.changeCipherSpec) throw record === undefined ? new TlsError('EOF') : unexpectedMessage()
  }

  /** Counts a record that has brought nothing. @throws TlsError if there have been too many in a row */
  countUseless(): void {
    if (++this.#useless > mostUseless) throw new TlsError('tls: too many ignored records')
  }

  async #readAny(): Promise<TlsRecord | undefined> {
    if (!(await this.#fill(headerBytes))) return this.#ended()
    const header = this.#buffer.slice(0, headerBytes)
    const [type = 0, major = 0, , high = 0, low = 0] = header
    if (major !== 3 || type < recordTypes.changeCipherSpec || type > recordTypes.application) throw this.#notTls(header)
    const length = high * 256 + low
    if (length > (this.#receiving === undefined ? longestContent : longestSealed)) throw overflow()
    if (!(await this.#fill(headerBytes + length))) return this.#ended()
    const body = this.#buffer.slice(headerBytes, headerBytes + length)
    this.#buffer = this.#buffer.slice(headerBytes + length)
    if (type === recordTypes.changeCipherSpec) {
      // In TLS 1.2 it is protected too, once there is a key.
      if (body.length !== 1 || body[0] !== 1 || this.#receiving?.hidesTypes === false) throw unexpectedMessage()
      return { type, content: body }
    }
    return this.#opened(type, header, body)
  }

  /** Opens a record. Once there is a key, records in the clear are anybody's. */
  #opened(type: number, header: Uint8Array, body: Uint8Array): TlsRecord {
    if (this.#receiving === undefined) return { type, content: body }
    if (this.#receiving.hidesTypes && type !== recordTypes.application) throw unexpectedMessage()
    const record = this.#receiving.open(header, body)
    if (record.content.length > longestContent) throw overflow()
    if (record.type < recordTypes.alert || record.type > recordTypes.application) throw unexpectedMessage()
    return record
  }

  /** @throws TlsError if the connection has ended within a record */
  #ended(): undefined {
    if (this.#buffer.length > 0) throw new TlsError('unexpected EOF')
  }

  #notTls(header: Uint8Array): TlsError {
    const isHttp = new TextDecoder().decode(header) === 'HTTP/'
    return new TlsError(
      isHttp ? 'http: server gave HTTP response to HTTPS client' : 'tls: first record does not look like a TLS handshake',
    )
  }

  /** Writes content as records. */
  async write(type: number, content: Uint8Array): Promise<void> {
    for (let at = 0; at === 0 || at < content.length; at += longestContent) {
      const part = content.subarray(at, at + longestContent)
      const record = this.#sending?.seal(type, part) ?? joined([type, 3, this.#hasWritten ? 3 : 1], number(part.length, 2), part)
      this.#hasWritten = true
      await this.#writer.write(record)
    }
  }

  /** Writes the record after which those of TLS 1.2 are protected, and that middle boxes expect. */
  async writeChangeCipherSpec(): Promise<void> {
    await this.#writer.write(new Uint8Array([recordTypes.changeCipherSpec, 3, 3, 0, 1, 1]))
  }
}
