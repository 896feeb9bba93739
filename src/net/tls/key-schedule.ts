/** The key schedule of TLS 1.3 (RFC 8446, section 7), and the protection of records with AES-GCM (section 5.2). */
import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto'
import { joined, number, TlsError, vector } from './bytes.ts'
import type { RecordProtection } from './records.ts'

/** A cipher suite. */
export interface CipherSuite {
  readonly id: number
  readonly hash: 'sha256' | 'sha384'
  readonly hashBytes: number
  readonly cipher: 'aes-128-gcm' | 'aes-256-gcm'
  readonly keyBytes: number
}

/** The supported suites, the preferred first. */
export const cipherSuites: readonly CipherSuite[] = [
  { id: 0x1301, hash: 'sha256', hashBytes: 32, cipher: 'aes-128-gcm', keyBytes: 16 },
  { id: 0x1302, hash: 'sha384', hashBytes: 48, cipher: 'aes-256-gcm', keyBytes: 32 },
]

const ivBytes = 12
const tagBytes = 16
const encoder = new TextEncoder()

/** Returns the hash of a transcript. */
export const hashOf = ({ hash }: CipherSuite, ...messages: readonly Uint8Array[]): Uint8Array =>
  createHash(hash)
    .update(joined(...messages))
    .digest()

/** Returns an HMAC. */
export const hmacOf = ({ hash }: CipherSuite, key: Uint8Array, data: Uint8Array): Uint8Array =>
  createHmac(hash, key).update(data).digest()

/** HKDF-Expand-Label for up to one block of the hash. */
export function expandLabel(
  suite: CipherSuite,
  secret: Uint8Array,
  label: string,
  context: Uint8Array,
  length: number,
): Uint8Array {
  const info = joined(number(length, 2), vector(1, encoder.encode(`tls13 ${label}`)), vector(1, context), [1])
  return hmacOf(suite, secret, info).subarray(0, length)
}

const deriveSecret = (suite: CipherSuite, secret: Uint8Array, label: string, transcript: Uint8Array): Uint8Array =>
  expandLabel(suite, secret, label, transcript, suite.hashBytes)

/** The secrets of both directions. */
export interface TrafficSecrets {
  readonly client: Uint8Array
  readonly server: Uint8Array
}

/** The secrets of the handshake, and the one from which those of the application come. */
export interface HandshakeSecrets extends TrafficSecrets {
  readonly master: Uint8Array
}

/**
 * Derives the secrets of the handshake.
 * @param shared the result of the key exchange
 * @param transcript the hash of ClientHello and ServerHello
 */
export function handshakeSecrets(suite: CipherSuite, shared: Uint8Array, transcript: Uint8Array): HandshakeSecrets {
  const zeros = new Uint8Array(suite.hashBytes)
  const empty = hashOf(suite)
  const early = hmacOf(suite, zeros, zeros)
  const handshake = hmacOf(suite, deriveSecret(suite, early, 'derived', empty), shared)
  return {
    client: deriveSecret(suite, handshake, 'c hs traffic', transcript),
    server: deriveSecret(suite, handshake, 's hs traffic', transcript),
    master: hmacOf(suite, deriveSecret(suite, handshake, 'derived', empty), zeros),
  }
}

/** Derives the secrets of the application. @param transcript the hash of the messages up to the server's Finished */
export const applicationSecrets = (suite: CipherSuite, master: Uint8Array, transcript: Uint8Array): TrafficSecrets => ({
  client: deriveSecret(suite, master, 'c ap traffic', transcript),
  server: deriveSecret(suite, master, 's ap traffic', transcript),
})

/** Returns the secret after a KeyUpdate. */
export const nextSecret = (suite: CipherSuite, secret: Uint8Array): Uint8Array =>
  expandLabel(suite, secret, 'traffic upd', new Uint8Array(), suite.hashBytes)

/** Returns the content of a Finished message. */
export const finishedOf = (suite: CipherSuite, secret: Uint8Array, transcript: Uint8Array): Uint8Array =>
  hmacOf(suite, expandLabel(suite, secret, 'finished', new Uint8Array(), suite.hashBytes), transcript)

/** The protection of one direction. */
export class RecordCipher implements RecordProtection {
  readonly hidesTypes = true
  readonly #suite: CipherSuite
  readonly #key: Uint8Array
  readonly #iv: Uint8Array
  #sequence = 0

  constructor(suite: CipherSuite, secret: Uint8Array) {
    this.#suite = suite
    this.#key = expandLabel(suite, secret, 'key', new Uint8Array(), suite.keyBytes)
    this.#iv = expandLabel(suite, secret, 'iv', new Uint8Array(), ivBytes)
  }

  #nonce(): Buffer {
    const nonce = Buffer.from(this.#iv)
    const sequence = Buffer.alloc(ivBytes)
    sequence.writeUIntBE(this.#sequence++, ivBytes - 6, 6)
    for (let at = 0; at < ivBytes; at++) nonce[at] = (nonce[at] ?? 0) ^ (sequence[at] ?? 0)
    return nonce
  }

  /** Protects the content of a record. @returns the whole record */
  seal(type: number, content: Uint8Array): Uint8Array {
    const header = joined([23, 3, 3], number(content.length + 1 + tagBytes, 2))
    const cipher = createCipheriv(this.#suite.cipher, this.#key, this.#nonce())
    cipher.setAAD(Buffer.from(header))
    const sealed = cipher.update(Buffer.from(joined(content, [type])))
    return joined(header, sealed, cipher.final(), cipher.getAuthTag())
  }

  /** Opens a record. @throws TlsError if it was not made with this key */
  open(header: Uint8Array, sealed: Uint8Array): { readonly type: number; readonly content: Uint8Array } {
    if (sealed.length < tagBytes) throw new TlsError('local error: tls: bad record MAC')
    const decipher = createDecipheriv(this.#suite.cipher, this.#key, this.#nonce())
    decipher.setAAD(Buffer.from(header))
    decipher.setAuthTag(Buffer.from(sealed.subarray(-tagBytes)))
    let inner: Uint8Array
    try {
      inner = joined(decipher.update(Buffer.from(sealed.subarray(0, -tagBytes))), decipher.final())
    } catch {
      throw new TlsError('local error: tls: bad record MAC')
    }
    let end = inner.length
    while (end > 0 && inner[end - 1] === 0) end--
    return { type: inner[end - 1] ?? 0, content: inner.subarray(0, Math.max(0, end - 1)) }
  }
}
