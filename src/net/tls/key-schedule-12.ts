/** The keys of TLS 1.2 (RFC 5246, sections 5 and 6.3), and the protection of records with AES-GCM (RFC 5288). */
import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto'
import { joined, number, TlsError } from './bytes.ts'
import type { RecordProtection } from './records.ts'

/** A cipher suite with an exchange of keys by elliptic curves (RFC 5289). */
export interface CipherSuite12 {
  readonly id: number
  /** The kind of the server's key. */
  readonly signature: 'ecdsa' | 'rsa'
  readonly hash: 'sha256' | 'sha384'
  readonly cipher: 'aes-128-gcm' | 'aes-256-gcm'
  readonly keyBytes: number
}

/** The supported suites, the preferred first. */
export const cipherSuites12: readonly CipherSuite12[] = [
  { id: 0xc02b, signature: 'ecdsa', hash: 'sha256', cipher: 'aes-128-gcm', keyBytes: 16 },
  { id: 0xc02f, signature: 'rsa', hash: 'sha256', cipher: 'aes-128-gcm', keyBytes: 16 },
  { id: 0xc02c, signature: 'ecdsa', hash: 'sha384', cipher: 'aes-256-gcm', keyBytes: 32 },
  { id: 0xc030, signature: 'rsa', hash: 'sha384', cipher: 'aes-256-gcm', keyBytes: 32 },
]

const saltBytes = 4
const nonceBytes = 8
const tagBytes = 16
const masterBytes = 48
const finishedBytes = 12

/** Derives bytes of a secret: PRF. */
function derived({ hash }: CipherSuite12, secret: Uint8Array, label: string, seed: Uint8Array, length: number): Uint8Array {
  const hmac = (data: Uint8Array): Uint8Array => createHmac(hash, secret).update(data).digest()
  const start = joined(Buffer.from(label), seed)
  const blocks: Uint8Array[] = []
  let chained = hmac(start)
  for (let size = 0; size < length; size += chained.length) {
    blocks.push(hmac(joined(chained, start)))
    chained = hmac(chained)
  }
  return joined(...blocks).subarray(0, length)
}

const hashOf = ({ hash }: CipherSuite12, transcript: readonly Uint8Array[]): Uint8Array =>
  createHash(hash)
    .update(joined(...transcript))
    .digest()

/** The random numbers of both sides. */
export interface Randoms {
  readonly client: Uint8Array
  readonly server: Uint8Array
}

/** Returns the master secret that binds the whole exchange (RFC 7627). @param transcript up to ClientKeyExchange */
export const extendedMaster = (suite: CipherSuite12, shared: Uint8Array, transcript: readonly Uint8Array[]): Uint8Array =>
  derived(suite, shared, 'extended master secret', hashOf(suite, transcript), masterBytes)

/** Returns the master secret of a server that does not know the extended one. */
export const plainMaster = (suite: CipherSuite12, shared: Uint8Array, { client, server }: Randoms): Uint8Array =>
  derived(suite, shared, 'master secret', joined(client, server), masterBytes)

/** Returns the content of a Finished message. */
export const finishedOf12 = (
  suite: CipherSuite12,
  master: Uint8Array,
  side: 'client' | 'server',
  transcript: readonly Uint8Array[],
): Uint8Array => derived(suite, master, `${side} finished`, hashOf(suite, transcript), finishedBytes)

/** Returns the protection of both directions. */
export function protectionOf(
  suite: CipherSuite12,
  master: Uint8Array,
  { client, server }: Randoms,
): { readonly client: RecordProtection; readonly server: RecordProtection } {
  const { keyBytes } = suite
  const block = derived(suite, master, 'key expansion', joined(server, client), 2 * (keyBytes + saltBytes))
  const salts = block.subarray(2 * keyBytes)
  return {
    client: new RecordCipher12(suite, block.subarray(0, keyBytes), salts.subarray(0, saltBytes)),
    server: new RecordCipher12(suite, block.subarray(keyBytes, 2 * keyBytes), salts.subarray(saltBytes)),
  }
}

/** The protection of one direction. The nonce of a record is its number, which is sent. */
class RecordCipher12 implements RecordProtection {
  readonly hidesTypes = false
  readonly #suite: CipherSuite12
  readonly #key: Uint8Array
  readonly #salt: Uint8Array
  #sequence = 0n

  constructor(suite: CipherSuite12, key: Uint8Array, salt: Uint8Array) {
    this.#suite = suite
    this.#key = key
    this.#salt = salt
  }

  /** Returns the number of the next record, and what is authenticated besides its content. */
  #next(type: number, length: number): { readonly sequence: Uint8Array; readonly header: Buffer } {
    const sequence = Buffer.alloc(nonceBytes)
    sequence.writeBigUInt64BE(this.#sequence++)
    return { sequence, header: Buffer.from(joined(sequence, [type, 3, 3], number(length, 2))) }
  }

  seal(type: number, content: Uint8Array): Uint8Array {
    const { sequence, header } = this.#next(type, content.length)
    const cipher = createCipheriv(this.#suite.cipher, this.#key, Buffer.from(joined(this.#salt, sequence)))
    cipher.setAAD(header)
    const sealed = cipher.update(Buffer.from(content))
    const whole = joined(sequence, sealed, cipher.final(), cipher.getAuthTag())
    return joined([type, 3, 3], number(whole.length, 2), whole)
  }

  open([type = 0]: Uint8Array, sealed: Uint8Array): { readonly type: number; readonly content: Uint8Array } {
    const length = sealed.length - nonceBytes - tagBytes
    if (length < 0) throw new TlsError('local error: tls: bad record MAC')
    const nonce = Buffer.from(joined(this.#salt, sealed.subarray(0, nonceBytes)))
    const decipher = createDecipheriv(this.#suite.cipher, this.#key, nonce)
    decipher.setAAD(this.#next(type, length).header)
    decipher.setAuthTag(Buffer.from(sealed.subarray(-tagBytes)))
    try {
      const content = joined(decipher.update(Buffer.from(sealed.subarray(nonceBytes, nonceBytes + length))), decipher.final())
      return { type, content }
    } catch {
      throw new TlsError('local error: tls: bad record MAC')
    }
  }
}
