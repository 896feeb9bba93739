/**
 * A TLS 1.3 client (RFC 8446): the runtime lets a Worker choose neither the authorities that it trusts nor the name that a
 * certificate must be valid for. Without resumption.
 */
import { type KeyObject, randomBytes, timingSafeEqual, verify, X509Certificate } from 'node:crypto'
import { ByteReader, joined, number, TlsError, vector } from './bytes.ts'
import { type ClientCertificate, certificateContent, proofContent } from './client-certificate.ts'
import { type HandshakeMessage, HandshakeMessages, message, messageTypes } from './handshake-messages.ts'
import {
  applicationSecrets,
  type CipherSuite,
  cipherSuites,
  finishedOf,
  type HandshakeSecrets,
  handshakeSecrets,
  hashOf,
  nextSecret,
  RecordCipher,
  type TrafficSecrets,
} from './key-schedule.ts'
import { type Duplex, RecordLayer, recordTypes, unexpectedMessage } from './records.ts'
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

const extensions = { serverName: 0, groups: 10, signatures: 13, alpn: 16, versions: 43, keyShare: 51 } as const
const groups = { x25519: 0x001d, p256: 0x0017 } as const
const tls13 = 0x0304
/** The longest public key in bytes: as Go, RSA up to 8192 bits. */
const longestKey = 1100
/** The random number of a ServerHello that asks for another key share: SHA-256 of `HelloRetryRequest`. */
const retryRandom = 'cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c'
const encoder = new TextEncoder()

interface SignatureScheme {
  readonly hash: string | null
  /** The type of key. */
  readonly key: 'ec' | 'rsa' | 'ed25519'
  /** The length of the salt of RSA-PSS. */
  readonly salt?: number
  /** Only for the signatures in certificates. */
  readonly inCertificates?: true
}

const signatureSchemes: ReadonlyMap<number, SignatureScheme> = new Map([
  [0x0403, { hash: 'sha256', key: 'ec' }],
  [0x0503, { hash: 'sha384', key: 'ec' }],
  [0x0603, { hash: 'sha512', key: 'ec' }],
  [0x0804, { hash: 'sha256', key: 'rsa', salt: 32 }],
  [0x0805, { hash: 'sha384', key: 'rsa', salt: 48 }],
  [0x0806, { hash: 'sha512', key: 'rsa', salt: 64 }],
  [0x0807, { hash: null, key: 'ed25519' }],
  [0x0401, { hash: 'sha256', key: 'rsa', inCertificates: true }],
  [0x0501, { hash: 'sha384', key: 'rsa', inCertificates: true }],
  [0x0601, { hash: 'sha512', key: 'rsa', inCertificates: true }],
])

/** A key pair for each group. */
interface KeyShares {
  readonly x25519: CryptoKeyPair
  readonly p256: CryptoKeyPair
}

const algorithms = { x25519: { name: 'X25519' }, p256: { name: 'ECDH', namedCurve: 'P-256' } } as const

type GroupName = keyof typeof algorithms

const generate = async (group: GroupName): Promise<CryptoKeyPair> =>
  (await crypto.subtle.generateKey(algorithms[group], true, ['deriveBits'])) as CryptoKeyPair

const rawKey = async ({ publicKey }: CryptoKeyPair): Promise<Uint8Array> =>
  new Uint8Array((await crypto.subtle.exportKey('raw', publicKey)) as ArrayBuffer)

const extension = (type: number, ...content: readonly (Uint8Array | readonly number[])[]): Uint8Array =>
  joined(number(type, 2), vector(2, ...content))

async function clientHello(shares: KeyShares, serverName: string, session: Uint8Array): Promise<Uint8Array> {
  const share = (group: number, key: Uint8Array): Uint8Array => joined(number(group, 2), vector(2, key))
  const isName = !/^[\d.]+$/.test(serverName) && !serverName.includes(':')
  const list = joined(
    ...(isName ? [extension(extensions.serverName, vector(2, [0], vector(2, encoder.encode(serverName))))] : []),
    extension(extensions.groups, vector(2, number(groups.x25519, 2), number(groups.p256, 2))),
    extension(extensions.signatures, vector(2, ...[...signatureSchemes.keys()].map((id) => number(id, 2)))),
    extension(extensions.alpn, vector(2, vector(1, encoder.encode('http/1.1')))),
    extension(extensions.versions, vector(1, number(tls13, 2))),
    extension(
      extensions.keyShare,
      vector(2, share(groups.x25519, await rawKey(shares.x25519)), share(groups.p256, await rawKey(shares.p256))),
    ),
  )
  const suites = vector(2, ...cipherSuites.map(({ id }) => number(id, 2)))
  return message(messageTypes.clientHello, joined([3, 3], randomBytes(32), vector(1, session), suites, [1, 0], vector(2, list)))
}

/** The choices of the server. */
interface ServerHello {
  readonly suite: CipherSuite
  readonly group: number
  readonly key: Uint8Array
}

/** Reads a ServerHello. @param session the identifier that was sent, which the server repeats */
function readServerHello(body: Uint8Array, session: Uint8Array): ServerHello {
  const reader = new ByteReader(body)
  reader.bytes(2)
  const isRetry = Buffer.from(reader.bytes(32)).toString('hex') === retryRandom
  const isOurs = Buffer.from(reader.vector(1)).equals(session)
  const chosen = reader.number(2)
  const suite = cipherSuites.find(({ id }) => id === chosen)
  const compression = reader.number(1)
  const list = reader.isAtEnd ? new ByteReader(new Uint8Array()) : new ByteReader(reader.vector(2))
  let version = 0x0303
  let share: ByteReader | undefined
  while (!list.isAtEnd) {
    const type = list.number(2)
    const content = new ByteReader(list.vector(2))
    if (type === extensions.versions) version = content.number(2)
    if (type === extensions.keyShare) share = content
  }
  if (version !== tls13) throw new TlsError('remote error: tls: protocol version not supported')
  if (isRetry) throw new TlsError('tls: server asked for a group that is not supported')
  if (!isOurs) throw new TlsError('tls: server did not echo the legacy session ID')
  if (compression !== 0) throw new TlsError('tls: server sent non-zero legacy TLS compression method')
  if (suite === undefined || share === undefined) throw new TlsError('tls: server chose an unconfigured cipher suite')
  const group = share.number(2)
  return { suite, group, key: share.vector(2) }
}

async function sharedSecret(shares: KeyShares, { group, key }: ServerHello): Promise<Uint8Array> {
  const name: GroupName | undefined = group === groups.x25519 ? 'x25519' : group === groups.p256 ? 'p256' : undefined
  if (name === undefined) throw new TlsError('tls: server selected unsupported group')
  const theirs = await crypto.subtle.importKey('raw', key as Uint8Array<ArrayBuffer>, algorithms[name], false, [])
  // The types of the runtime call the other side's key `$public`.
  const algorithm = { name: algorithms[name].name, public: theirs } as unknown as SubtleCryptoDeriveKeyAlgorithm
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, shares[name].privateKey, 256))
}

/** The state of a connection after its handshake. */
interface Established {
  readonly suite: CipherSuite
  readonly secrets: TrafficSecrets
}

/** The handshake of one connection. */
class Handshake {
  readonly #records: RecordLayer
  readonly #identity: ServerIdentity
  readonly #transcript: Uint8Array[] = []
  readonly #messages = new HandshakeMessages()

  constructor(records: RecordLayer, identity: ServerIdentity) {
    this.#records = records
    this.#identity = identity
  }

  async run(): Promise<Established> {
    const shares = { x25519: await generate('x25519'), p256: await generate('p256') }
    const session = randomBytes(32)
    const hello = await clientHello(shares, this.#identity.serverName, session)
    this.#transcript.push(hello)
    await this.#records.write(recordTypes.handshake, hello)
    const server = readServerHello(await this.#expect(messageTypes.serverHello), session)
    const { suite } = server
    const secrets = handshakeSecrets(suite, await sharedSecret(shares, server), this.#hash(suite))
    this.#receiveWith(new RecordCipher(suite, secrets.server))
    await this.#expect(messageTypes.encryptedExtensions)
    const certificate = await this.#authenticate(suite)
    return { suite, secrets: await this.#finish(suite, secrets, certificate) }
  }

  #hash(suite: CipherSuite): Uint8Array {
    return hashOf(suite, ...this.#transcript)
  }

  /** Changes the key of the server's records. @throws TlsError if the earlier key, or none, has protected a part of a message */
  #receiveWith(cipher: RecordCipher): void {
    if (!this.#messages.isAtBoundary) throw unexpectedMessage()
    this.#records.receiveWith(cipher)
  }

  /** Reads the server's certificates and its proof that it has the key. @returns whether it wants a client certificate */
  async #authenticate(suite: CipherSuite): Promise<boolean> {
    let next = await this.#next()
    const isAsked = next.type === messageTypes.certificateRequest
    if (isAsked) next = await this.#next()
    if (next.type !== messageTypes.certificate) throw unexpected(next.type)
    const leaf = this.#verify(certificatesIn(next.body))
    const transcript = this.#hash(suite)
    await checkProof(leaf, await this.#expect(messageTypes.certificateVerify), transcript)
    return isAsked
  }

  #verify(chain: readonly Uint8Array[]): X509Certificate {
    const { serverName, authorities, now } = this.#identity
    if (authorities !== 'any') return verifyCertificates(chain, serverName, authorities, now)
    const [own] = chain
    if (own === undefined) throw new TlsError('tls: received empty certificates message')
    return new X509Certificate(own)
  }

  async #finish(suite: CipherSuite, secrets: HandshakeSecrets, isAsked: boolean): Promise<TrafficSecrets> {
    const expected = finishedOf(suite, secrets.server, this.#hash(suite))
    const finished = await this.#expect(messageTypes.finished)
    const isSame = finished.length === expected.length && timingSafeEqual(finished, expected)
    if (!isSame) throw new TlsError('local error: tls: error decrypting message')
    const application = applicationSecrets(suite, secrets.master, this.#hash(suite))
    await this.#records.writeChangeCipherSpec()
    this.#records.sendWith(new RecordCipher(suite, secrets.client))
    if (isAsked) await this.#prove(suite)
    await this.#send(message(messageTypes.finished, finishedOf(suite, secrets.client, this.#hash(suite))))
    this.#receiveWith(new RecordCipher(suite, application.server))
    this.#records.sendWith(new RecordCipher(suite, application.client))
    return application
  }

  /** Sends the client's certificate and the proof that it has the key, or an empty list of certificates. */
  async #prove(suite: CipherSuite): Promise<void> {
    const { client } = this.#identity
    await this.#send(message(messageTypes.certificate, certificateContent(client)))
    if (client === undefined) return
    await this.#send(message(messageTypes.certificateVerify, await proofContent(client, this.#hash(suite))))
  }

  async #send(whole: Uint8Array): Promise<void> {
    this.#transcript.push(whole)
    await this.#records.write(recordTypes.handshake, whole)
  }

  async #expect(type: number): Promise<Uint8Array> {
    const next = await this.#next()
    if (next.type !== type) throw unexpected(next.type)
    return next.body
  }

  async #next(): Promise<HandshakeMessage> {
    for (;;) {
      const next = this.#messages.next()
      if (next !== undefined) {
        this.#transcript.push(next.whole)
        return next
      }
      const record = await this.#records.read()
      if (record === undefined) throw new TlsError('EOF')
      if (record.type !== recordTypes.handshake) throw unexpected(record.type)
      this.#messages.push(record.content)
    }
  }
}

const unexpected = (type: number): TlsError => new TlsError(`local error: tls: unexpected message (${type})`)

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

/** Whether a signature was made with a key. The runtime's `verify` ignores the padding of RSA. */
async function hasSigned(
  key: KeyObject,
  { hash, salt }: SignatureScheme,
  signed: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  if (salt === undefined) return verify(hash, Buffer.from(signed), key, Buffer.from(signature))
  const algorithm = { name: 'RSA-PSS', hash: `SHA-${salt * 8}` }
  const spki = new Uint8Array(key.export({ type: 'spki', format: 'der' }))
  const imported = await crypto.subtle.importKey('spki', spki, algorithm, false, ['verify'])
  return crypto.subtle.verify(
    { name: 'RSA-PSS', saltLength: salt },
    imported,
    signature as Uint8Array<ArrayBuffer>,
    signed as Uint8Array<ArrayBuffer>,
  )
}

/** Checks the CertificateVerify message. @throws TlsError if the server does not have the key */
async function checkProof({ publicKey }: X509Certificate, body: Uint8Array, transcript: Uint8Array): Promise<void> {
  const reader = new ByteReader(body)
  const scheme = signatureSchemes.get(reader.number(2))
  if (scheme === undefined || scheme.inCertificates === true || scheme.key !== publicKey.asymmetricKeyType)
    throw new TlsError('tls: certificate used with invalid signature algorithm')
  if (publicKey.export({ type: 'spki', format: 'der' }).length > longestKey)
    throw new TlsError('tls: server sent certificate containing RSA key larger than 8192 bits')
  const signature = reader.vector(2)
  const signed = joined(new Uint8Array(64).fill(32), encoder.encode('TLS 1.3, server CertificateVerify'), [0], transcript)
  if (!(await hasSigned(publicKey, scheme, signed, signature)))
    throw new TlsError('tls: invalid signature by the server certificate')
}

/** An established connection. */
class Connection implements ByteConnection {
  readonly #records: RecordLayer
  readonly #suite: CipherSuite
  readonly #messages = new HandshakeMessages()
  #secrets: TrafficSecrets

  constructor(records: RecordLayer, { suite, secrets }: Established) {
    this.#records = records
    this.#suite = suite
    this.#secrets = secrets
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
    if (type === messageTypes.newSessionTicket) return
    if (type !== messageTypes.keyUpdate || !this.#messages.isAtBoundary || body.length !== 1) throw unexpected(type)
    const { client, server } = this.#secrets
    const next = { client, server: nextSecret(this.#suite, server) }
    this.#records.receiveWith(new RecordCipher(this.#suite, next.server))
    if (body[0] === 1) {
      next.client = nextSecret(this.#suite, client)
      // The message is protected with the earlier key at once, and so are the records that were written before it.
      const written = this.#records.write(recordTypes.handshake, message(messageTypes.keyUpdate, [0]))
      this.#records.sendWith(new RecordCipher(this.#suite, next.client))
      await written
    }
    this.#secrets = next
  }
}

/**
 * Makes the handshake over an open connection.
 * @throws TlsError with Go's text if the server is not the expected one, or does not speak TLS 1.3
 * @example
 * const connection = await connectTls(socket, { serverName: 'webhook.default.svc', authorities: [pem], now: Date.now() })
 * await connection.write(new TextEncoder().encode('GET / HTTP/1.1\r\nhost: webhook.default.svc\r\n\r\n'))
 */
export async function connectTls(duplex: Duplex, identity: ServerIdentity): Promise<ByteConnection> {
  const records = new RecordLayer(duplex)
  return new Connection(records, await new Handshake(records, identity).run())
}
