/**
 * A TLS 1.3 client (RFC 8446): the runtime lets a Worker choose neither the authorities that it trusts nor the name that a
 * certificate must be valid for. Without resumption and client certificates.
 */
import { type KeyObject, randomBytes, verify, type X509Certificate } from 'node:crypto'
import { ByteReader, joined, number, TlsError, vector } from './bytes.ts'
import {
  applicationSecrets,
  type CipherSuite,
  cipherSuites,
  finishedOf,
  type HandshakeSecrets,
  handshakeSecrets,
  hashOf,
  RecordCipher,
} from './key-schedule.ts'
import { type Duplex, RecordLayer, recordTypes } from './records.ts'
import { verifyCertificates } from './verify-certificate.ts'

/** The identity that the server must have. */
export interface ServerIdentity {
  /** A name or an address. */
  readonly serverName: string
  /** PEM. */
  readonly authorities: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** An encrypted connection. */
export interface TlsConnection {
  /** Reads data; undefined at the end. */
  read(): Promise<Uint8Array | undefined>
  write(data: Uint8Array): Promise<void>
}

const messageTypes = {
  clientHello: 1,
  serverHello: 2,
  encryptedExtensions: 8,
  certificate: 11,
  certificateRequest: 13,
  certificateVerify: 15,
  finished: 20,
} as const
const extensions = { serverName: 0, groups: 10, signatures: 13, alpn: 16, versions: 43, keyShare: 51 } as const
const groups = { x25519: 0x001d, p256: 0x0017 } as const
const tls13 = 0x0304
/** The longest handshake message: a long chain of certificates. */
const longestMessage = 256 * 1024
const encoder = new TextEncoder()

interface SignatureScheme {
  readonly hash: string | null
  /** The length of the salt of RSA-PSS. */
  readonly salt?: number
  /** Only for the signatures in certificates. */
  readonly inCertificates?: true
}

const signatureSchemes: ReadonlyMap<number, SignatureScheme> = new Map([
  [0x0403, { hash: 'sha256' }],
  [0x0503, { hash: 'sha384' }],
  [0x0603, { hash: 'sha512' }],
  [0x0804, { hash: 'sha256', salt: 32 }],
  [0x0805, { hash: 'sha384', salt: 48 }],
  [0x0806, { hash: 'sha512', salt: 64 }],
  [0x0807, { hash: null }],
  [0x0401, { hash: 'sha256', inCertificates: true }],
  [0x0501, { hash: 'sha384', inCertificates: true }],
  [0x0601, { hash: 'sha512', inCertificates: true }],
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

async function clientHello(shares: KeyShares, serverName: string): Promise<Uint8Array> {
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
  return message(
    messageTypes.clientHello,
    joined([3, 3], randomBytes(32), vector(1, randomBytes(32)), suites, [1, 0], vector(2, list)),
  )
}

const message = (type: number, body: Uint8Array): Uint8Array => joined([type], vector(3, body))

/** The choices of the server. */
interface ServerHello {
  readonly suite: CipherSuite
  readonly group: number
  readonly key: Uint8Array
}

function readServerHello(body: Uint8Array): ServerHello {
  const reader = new ByteReader(body)
  reader.bytes(2 + 32)
  reader.vector(1)
  const chosen = reader.number(2)
  const suite = cipherSuites.find(({ id }) => id === chosen)
  reader.bytes(1)
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
  if (suite === undefined || share === undefined) throw new TlsError('tls: server chose an unconfigured cipher suite')
  const group = share.number(2)
  if (share.isAtEnd) throw new TlsError('tls: server asked for a group that is not supported')
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

/** The handshake of one connection. */
class Handshake {
  readonly #records: RecordLayer
  readonly #identity: ServerIdentity
  readonly #transcript: Uint8Array[] = []
  #pending: Uint8Array = new Uint8Array()

  constructor(records: RecordLayer, identity: ServerIdentity) {
    this.#records = records
    this.#identity = identity
  }

  async run(): Promise<void> {
    const shares = { x25519: await generate('x25519'), p256: await generate('p256') }
    const hello = await clientHello(shares, this.#identity.serverName)
    this.#transcript.push(hello)
    await this.#records.write(recordTypes.handshake, hello)
    const server = readServerHello(await this.#expect(messageTypes.serverHello))
    const { suite } = server
    const secrets = handshakeSecrets(suite, await sharedSecret(shares, server), this.#hash(suite))
    this.#records.receiveWith(new RecordCipher(suite, secrets.server))
    await this.#expect(messageTypes.encryptedExtensions)
    const certificate = await this.#authenticate(suite)
    await this.#finish(suite, secrets, certificate)
  }

  #hash(suite: CipherSuite): Uint8Array {
    return hashOf(suite, ...this.#transcript)
  }

  /** Reads the server's certificates and its proof that it has the key. @returns whether it wants a client certificate */
  async #authenticate(suite: CipherSuite): Promise<boolean> {
    let next = await this.#next()
    const isAsked = next.type === messageTypes.certificateRequest
    if (isAsked) next = await this.#next()
    if (next.type !== messageTypes.certificate) throw unexpected(next.type)
    const { serverName, authorities, now } = this.#identity
    const leaf = verifyCertificates(certificatesIn(next.body), serverName, authorities, now)
    const transcript = this.#hash(suite)
    await checkProof(leaf, await this.#expect(messageTypes.certificateVerify), transcript)
    return isAsked
  }

  async #finish(suite: CipherSuite, secrets: HandshakeSecrets, isAsked: boolean): Promise<void> {
    const expected = finishedOf(suite, secrets.server, this.#hash(suite))
    const finished = await this.#expect(messageTypes.finished)
    if (!Buffer.from(expected).equals(Buffer.from(finished))) throw new TlsError('local error: tls: error decrypting message')
    const application = applicationSecrets(suite, secrets.master, this.#hash(suite))
    await this.#records.writeChangeCipherSpec()
    this.#records.sendWith(new RecordCipher(suite, secrets.client))
    // An empty list of certificates: this client has none.
    if (isAsked) await this.#send(message(messageTypes.certificate, new Uint8Array([0, 0, 0, 0])))
    await this.#send(message(messageTypes.finished, finishedOf(suite, secrets.client, this.#hash(suite))))
    this.#records.receiveWith(new RecordCipher(suite, application.server))
    this.#records.sendWith(new RecordCipher(suite, application.client))
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

  /** Reads the next handshake message, which may be in several records. */
  async #next(): Promise<{ readonly type: number; readonly body: Uint8Array }> {
    for (;;) {
      const [type = 0, high = 0, middle = 0, low = 0] = this.#pending
      const length = this.#pending.length < 4 ? 0 : 4 + high * 65536 + middle * 256 + low
      if (length > longestMessage) throw new TlsError('local error: tls: error decoding message')
      if (length > 0 && this.#pending.length >= length) {
        const whole = this.#pending.slice(0, length)
        this.#pending = this.#pending.slice(length)
        this.#transcript.push(whole)
        return { type, body: whole.subarray(4) }
      }
      const record = await this.#records.read()
      if (record === undefined) throw new TlsError('EOF')
      if (record.type !== recordTypes.handshake) throw unexpected(record.type)
      this.#pending = joined(this.#pending, record.content)
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
  if (scheme === undefined || scheme.inCertificates === true)
    throw new TlsError('tls: certificate used with invalid signature algorithm')
  const signature = reader.vector(2)
  const signed = joined(new Uint8Array(64).fill(32), encoder.encode('TLS 1.3, server CertificateVerify'), [0], transcript)
  if (!(await hasSigned(publicKey, scheme, signed, signature)))
    throw new TlsError('tls: invalid signature by the server certificate')
}

/**
 * Makes the handshake over an open connection.
 * @throws TlsError with Go's text if the server is not the expected one, or does not speak TLS 1.3
 * @example
 * const connection = await connectTls(socket, { serverName: 'webhook.default.svc', authorities: [pem], now: Date.now() })
 * await connection.write(new TextEncoder().encode('GET / HTTP/1.1\r\nhost: webhook.default.svc\r\n\r\n'))
 */
export async function connectTls(duplex: Duplex, identity: ServerIdentity): Promise<TlsConnection> {
  const records = new RecordLayer(duplex)
  await new Handshake(records, identity).run()
  return {
    read: async () => {
      for (;;) {
        const record = await records.read()
        if (record === undefined) return undefined
        // Other records are tickets for a resumption that does not take place.
        if (record.type === recordTypes.application) return record.content
      }
    },
    write: (data) => records.write(recordTypes.application, data),
  }
}
