/**
 * A TLS client, of TLS 1.3 (RFC 8446) and TLS 1.2: the runtime lets a Worker choose neither the authorities that it trusts nor the
 * name that a certificate must be valid for. Without resumption.
 */
import { randomBytes, timingSafeEqual, X509Certificate } from 'node:crypto'
import { ByteReader, joined, TlsError } from './bytes.ts'
import { type ClientCertificate, certificateContent, proofContent } from './client-certificate.ts'
import { Flights, unexpected } from './flights.ts'
import { finish12 } from './handshake-12.ts'
import { type HandshakeMessage, HandshakeMessages, message, messageTypes } from './handshake-messages.ts'
import { clientHello, readServerHello, type ServerHello } from './hello.ts'
import {
  applicationSecrets,
  type CipherSuite,
  finishedOf,
  type HandshakeSecrets,
  handshakeSecrets,
  hashOf,
  nextSecret,
  RecordCipher,
  type TrafficSecrets,
} from './key-schedule.ts'
import { generateShares, type KeyShares, sharedSecret } from './key-shares.ts'
import { type Duplex, RecordLayer, recordTypes } from './records.ts'
import { checkSignature } from './signatures.ts'
import { verifyCertificates } from './verify-certificate.ts'

/** The identity that the server must have, and the one that it is shown. */
export interface ServerIdentity {
  /** A name or an address. */
  readonly serverName: string
  /** PEM; 'any': the certificate is not verified. */
  readonly authorities: readonly string[] | 'any'
  /** Milliseconds since the epoch. */
  readonly now: number
  /** The certificate for a server that asks for one. */
  readonly client?: ClientCertificate | undefined
}

/** An open connection, which is encrypted unless nobody wants that. */
export interface ByteConnection {
  /** Reads data; undefined at the end. */
  read(): Promise<Uint8Array | undefined>
  write(data: Uint8Array): Promise<void>
}

const encoder = new TextEncoder()

/** The state of a connection of TLS 1.3 after its handshake. */
interface Established {
  readonly suite: CipherSuite
  readonly secrets: TrafficSecrets
}

/** Checks the certificates of a server. Returns its own. @throws TlsError */
function verified(chain: readonly Uint8Array[], { serverName, authorities, now }: ServerIdentity): X509Certificate {
  if (authorities !== 'any') return verifyCertificates(chain, serverName, authorities, now)
  const [own] = chain
  if (own === undefined) throw new TlsError('tls: received empty certificates message')
  return new X509Certificate(own)
}

/** The handshake of TLS 1.3, after its first messages. */
class Handshake {
  readonly #flights: Flights
  readonly #identity: ServerIdentity
  readonly #suite: CipherSuite

  constructor(flights: Flights, identity: ServerIdentity, suite: CipherSuite) {
    this.#flights = flights
    this.#identity = identity
    this.#suite = suite
  }

  async run(shared: Uint8Array): Promise<Established> {
    const suite = this.#suite
    const secrets = handshakeSecrets(suite, shared, this.#hash())
    this.#flights.receiveWith(new RecordCipher(suite, secrets.server))
    await this.#flights.expect(messageTypes.encryptedExtensions)
    const isAsked = await this.#authenticate()
    return { suite, secrets: await this.#finish(secrets, isAsked) }
  }

  #hash(): Uint8Array {
    return hashOf(this.#suite, ...this.#flights.transcript)
  }

  /** Reads the server's certificates and its proof that it has the key. @returns whether it wants a client certificate */
  async #authenticate(): Promise<boolean> {
    let next = await this.#flights.next()
    const isAsked = next.type === messageTypes.certificateRequest
    if (isAsked) next = await this.#flights.next()
    if (next.type !== messageTypes.certificate) throw unexpected(next.type)
    const leaf = verified(certificatesIn(next.body), this.#identity)
    const transcript = this.#hash()
    await checkProof(leaf, await this.#flights.expect(messageTypes.certificateVerify), transcript)
    return isAsked
  }

  async #finish(secrets: HandshakeSecrets, isAsked: boolean): Promise<TrafficSecrets> {
    const [flights, suite] = [this.#flights, this.#suite]
    const expected = finishedOf(suite, secrets.server, this.#hash())
    const finished = await flights.expect(messageTypes.finished)
    const isSame = finished.length === expected.length && timingSafeEqual(finished, expected)
    if (!isSame) throw new TlsError('local error: tls: error decrypting message')
    const application = applicationSecrets(suite, secrets.master, this.#hash())
    await flights.records.writeChangeCipherSpec()
    flights.records.sendWith(new RecordCipher(suite, secrets.client))
    if (isAsked) await this.#prove()
    await flights.send(message(messageTypes.finished, finishedOf(suite, secrets.client, this.#hash())))
    flights.receiveWith(new RecordCipher(suite, application.server))
    flights.records.sendWith(new RecordCipher(suite, application.client))
    return application
  }

  /** Sends the client's certificate and the proof that it has the key, or an empty list of certificates. */
  async #prove(): Promise<void> {
    const { client } = this.#identity
    await this.#flights.send(message(messageTypes.certificate, certificateContent(client)))
    if (client === undefined) return
    await this.#flights.send(message(messageTypes.certificateVerify, await proofContent(client, this.#hash())))
  }
}

function certificatesIn(body: Uint8Array): Uint8Array[] {
  const reader = new ByteReader(body)
  reader.vector(1)
  const list = new ByteReader(reader.vector(3))
  const found: Uint8Array[] = []
  while (!list.isAtEnd) {
    found.push(list.vector(3))
    list.vector(2)
  }
  return found
}

/** Checks the CertificateVerify message. @throws TlsError if the server does not have the key */
async function checkProof({ publicKey }: X509Certificate, body: Uint8Array, transcript: Uint8Array): Promise<void> {
  const reader = new ByteReader(body)
  const [scheme, signature] = [reader.number(2), reader.vector(2)]
  const signed = joined(new Uint8Array(64).fill(32), encoder.encode('TLS 1.3, server CertificateVerify'), [0], transcript)
  await checkSignature(publicKey, { scheme, signed, signature }, 'TLS 1.3')
}

/** An established connection. */
class Connection implements ByteConnection {
  readonly #records: RecordLayer
  readonly #messages = new HandshakeMessages()
  #established: Established | undefined

  /** @param established undefined for TLS 1.2, in which nothing changes any more: a new handshake is refused */
  constructor(records: RecordLayer, established: Established | undefined) {
    this.#records = records
    this.#established = established
  }

  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const record = await this.#records.read()
      if (record === undefined) return undefined
      if (record.type === recordTypes.application && this.#messages.isAtBoundary) return record.content
      if (record.type !== recordTypes.handshake) throw unexpected(record.type)
      this.#records.countUseless()
      this.#messages.push(record.content)
      for (let next = this.#messages.next(); next !== undefined; next = this.#messages.next()) await this.#handle(next)
    }
  }

  write(data: Uint8Array): Promise<void> {
    return this.#records.write(recordTypes.application, data)
  }

  /** Handles a message after the handshake. Tickets are for a resumption that does not take place. */
  async #handle({ type, body }: HandshakeMessage): Promise<void> {
    if (this.#established === undefined) throw unexpected(type)
    if (type === messageTypes.newSessionTicket) return
    if (type !== messageTypes.keyUpdate || !this.#messages.isAtBoundary || body.length !== 1) throw unexpected(type)
    const { suite, secrets } = this.#established
    const next = { client: secrets.client, server: nextSecret(suite, secrets.server) }
    this.#records.receiveWith(new RecordCipher(suite, next.server))
    if (body[0] === 1) {
      next.client = nextSecret(suite, secrets.client)
      // The message is protected with the earlier key at once, and so are the records that were written before it.
      const written = this.#records.write(recordTypes.handshake, message(messageTypes.keyUpdate, [0]))
      this.#records.sendWith(new RecordCipher(suite, next.client))
      await written
    }
    this.#established = { suite, secrets: next }
  }
}

/** Makes the handshake of the version that the server chooses. @returns the state of TLS 1.3; undefined for TLS 1.2 */
async function handshake(records: RecordLayer, identity: ServerIdentity): Promise<Established | undefined> {
  const flights = new Flights(records)
  const shares: KeyShares = await generateShares()
  const [session, random] = [randomBytes(32), randomBytes(32)]
  await flights.send(await clientHello(shares, { serverName: identity.serverName, session, random }))
  const hello: ServerHello = readServerHello(await flights.expect(messageTypes.serverHello), session)
  if (hello.version === 'TLS 1.3')
    return new Handshake(flights, identity, hello.suite).run(await sharedSecret(shares, hello.share))
  const verify = (chain: readonly Uint8Array[]): X509Certificate => verified(chain, identity)
  await finish12({ flights, hello, shares, random, verify, certificate: identity.client })
  return undefined
}

/**
 * Makes the handshake over an open connection.
 * @throws TlsError with Go's text if the server is not the expected one, or speaks neither TLS 1.3 nor TLS 1.2
 * @example
 * const connection = await connectTls(socket, { serverName: 'webhook.default.svc', authorities: [pem], now: Date.now() })
 * await connection.write(new TextEncoder().encode('GET / HTTP/1.1\r\nhost: webhook.default.svc\r\n\r\n'))
 */
export async function connectTls(duplex: Duplex, identity: ServerIdentity): Promise<ByteConnection> {
  const records = new RecordLayer(duplex)
  return new Connection(records, await handshake(records, identity))
}
