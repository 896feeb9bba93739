import { sign, X509Certificate } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { issueAuthority, issueServer } from '../../src/launcher/issue-certificates.ts'
import { ByteReader, joined, number, vector } from '../../src/net/tls/bytes.ts'
import { connectTls } from '../../src/net/tls/client.ts'
import { HandshakeMessages, message, messageTypes } from '../../src/net/tls/handshake-messages.ts'
import {
  applicationSecrets,
  type CipherSuite,
  cipherSuites,
  finishedOf,
  handshakeSecrets,
  hashOf,
  nextSecret,
  RecordCipher,
} from '../../src/net/tls/key-schedule.ts'
import { RecordLayer, recordTypes } from '../../src/net/tls/records.ts'

/** The deviations of a server from the protocol. */
interface Faults {
  readonly session?: Uint8Array
  readonly compression?: number
  readonly random?: Uint8Array
  /** Records in the clear after the server's keys are in use. */
  readonly clear?: Uint8Array
  /** Bytes after the ServerHello, in its record. */
  readonly behindHello?: Uint8Array
  readonly scheme?: number
  readonly finished?: Uint8Array
  readonly bare?: readonly Uint8Array[]
}

const suite = cipherSuites[0] as CipherSuite
const none = new Uint8Array()
let authority = ''
let der = none
let key = ''

beforeAll(async () => {
  const issuer = await issueAuthority()
  const server = await issueServer(issuer, ['server.test'])
  authority = issuer.certificate
  der = new Uint8Array(new X509Certificate(server.certificate).raw)
  key = server.key
})

/** A server over streams in memory. After `accept`, it has the secrets of the connection. */
class Server {
  readonly records: RecordLayer
  readonly raw: WritableStreamDefaultWriter<Uint8Array>
  secrets: { client: Uint8Array; server: Uint8Array } = { client: none, server: none }

  constructor(readable: ReadableStream<Uint8Array>, writable: WritableStream<Uint8Array>) {
    this.raw = writable.getWriter()
    const { raw } = this
    this.records = new RecordLayer({ readable, writable: new WritableStream({ write: (chunk) => raw.write(chunk) }) })
  }

  async accept(faults: Faults): Promise<void> {
    const { records } = this
    const messages = new HandshakeMessages()
    messages.push((await records.read())?.content ?? none)
    const hello = messages.next()
    const reader = new ByteReader(hello?.body ?? none)
    reader.bytes(34)
    const session = reader.vector(1)
    reader.vector(2)
    reader.vector(1)
    const theirs = shareIn(new ByteReader(reader.vector(2)))
    const pair = (await crypto.subtle.generateKey({ name: 'X25519' }, true, ['deriveBits'])) as CryptoKeyPair
    const own = new Uint8Array((await crypto.subtle.exportKey('raw', pair.publicKey)) as ArrayBuffer)
    const extensions = joined([0, 43, 0, 2, 3, 4], [0, 51], vector(2, [0, 0x1d], vector(2, own)))
    const serverHello = message(
      messageTypes.serverHello,
      joined(
        [3, 3],
        faults.random ?? new Uint8Array(32).fill(7),
        vector(1, faults.session ?? session),
        number(suite.id, 2),
        [faults.compression ?? 0],
        vector(2, extensions),
      ),
    )
    await records.write(recordTypes.handshake, joined(serverHello, faults.behindHello ?? none))
    for (const record of faults.bare ?? []) await this.raw.write(record)
    const imported = await crypto.subtle.importKey('raw', theirs as Uint8Array<ArrayBuffer>, { name: 'X25519' }, false, [])
    const shared = await crypto.subtle.deriveBits(
      { name: 'X25519', public: imported } as unknown as SubtleCryptoDeriveKeyAlgorithm,
      pair.privateKey,
      256,
    )
    await this.#finish(faults, [hello?.whole ?? none, serverHello], new Uint8Array(shared))
  }

  async #finish(faults: Faults, transcript: Uint8Array[], shared: Uint8Array): Promise<void> {
    const { records } = this
    const hash = (): Uint8Array => hashOf(suite, ...transcript)
    const secrets = handshakeSecrets(suite, shared, hash())
    records.sendWith(new RecordCipher(suite, secrets.server))
    if (faults.clear !== undefined) await this.raw.write(faults.clear)
    const send = async (type: number, body: Uint8Array): Promise<void> => {
      const whole = message(type, body)
      transcript.push(whole)
      await records.write(recordTypes.handshake, whole)
    }
    await send(messageTypes.encryptedExtensions, new Uint8Array([0, 0]))
    await send(messageTypes.certificate, joined([0], vector(3, vector(3, der), [0, 0])))
    const text = joined(new Uint8Array(64).fill(32), Buffer.from('TLS 1.3, server CertificateVerify'), [0], hash())
    const signature = sign('sha256', text, key)
    await send(messageTypes.certificateVerify, joined(number(faults.scheme ?? 0x0403, 2), vector(2, signature)))
    await send(messageTypes.finished, faults.finished ?? finishedOf(suite, secrets.server, hash()))
    this.secrets = applicationSecrets(suite, secrets.master, hash())
    records.receiveWith(new RecordCipher(suite, secrets.client))
    records.sendWith(new RecordCipher(suite, this.secrets.server))
  }

  /** Reads the client's Finished. */
  async finish(): Promise<void> {
    await this.records.read()
    this.records.receiveWith(new RecordCipher(suite, this.secrets.client))
  }
}

function shareIn(extensions: ByteReader): Uint8Array {
  while (!extensions.isAtEnd) {
    const type = extensions.number(2)
    const content = new ByteReader(extensions.vector(2))
    if (type !== 51) continue
    const shares = new ByteReader(content.vector(2))
    shares.number(2)
    return shares.vector(2)
  }
  return none
}

interface Pair {
  readonly server: Server
  readonly client: ReturnType<typeof connectTls>
}

function pairOf(): Pair {
  const up = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 100 }, { highWaterMark: 100 })
  const down = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 100 }, { highWaterMark: 100 })
  const identity = { serverName: 'server.test', authorities: [authority], now: Date.now() }
  const client = connectTls({ readable: down.readable, writable: up.writable }, identity)
  client.catch(() => {})
  return { client, server: new Server(up.readable, down.writable) }
}

/** Returns the client's error, or 'connected'. */
async function outcomeOf(faults: Faults): Promise<string> {
  const { client, server } = pairOf()
  await server.accept(faults)
  return client.then(
    () => 'connected',
    (error: Error) => error.message,
  )
}

const record = (type: number, content: Uint8Array | readonly number[]): Uint8Array => joined([type, 3, 3], vector(2, content))
const change = record(recordTypes.changeCipherSpec, [1])

describe('The handshake of a TLS client', () => {
  test('ends with a server that follows the protocol, and skips its change of the cipher', async () => {
    expect(await outcomeOf({ bare: [change] })).toBe('connected')
  })

  test.each<[string, Faults, string]>([
    ['another session', { session: new Uint8Array(32) }, 'tls: server did not echo the legacy session ID'],
    ['compression', { compression: 1 }, 'tls: server sent non-zero legacy TLS compression method'],
    [
      'the request of another group',
      { random: Buffer.from('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c', 'hex') },
      'tls: server asked for a group that is not supported',
    ],
    ['an alert in the clear', { clear: record(recordTypes.alert, [1, 0]) }, 'local error: tls: unexpected message'],
    [
      'a message in the clear',
      { clear: record(recordTypes.handshake, [8, 0, 0, 2, 0, 0]) },
      'local error: tls: unexpected message',
    ],
    ['a message that begins before the keys', { behindHello: new Uint8Array([8, 0]) }, 'local error: tls: unexpected message'],
    [
      'a wrong change of the cipher',
      { bare: [record(recordTypes.changeCipherSpec, [2])] },
      'local error: tls: unexpected message',
    ],
    ['endless changes of the cipher', { bare: Array.from({ length: 17 }, () => change) }, 'tls: too many ignored records'],
    ['a scheme of another type of key', { scheme: 0x0807 }, 'tls: certificate used with invalid signature algorithm'],
    ['PKCS #1', { scheme: 0x0401 }, 'tls: certificate used with invalid signature algorithm'],
    ['a signature with another hash', { scheme: 0x0503 }, 'tls: invalid signature by the server certificate'],
    ['a wrong Finished', { finished: new Uint8Array(32) }, 'local error: tls: error decrypting message'],
    ['a short Finished', { finished: new Uint8Array(1) }, 'local error: tls: error decrypting message'],
  ])('fails for a server that sends %s', async (_, faults, expected) => {
    expect(await outcomeOf(faults)).toBe(expected)
  })
})

describe('A TLS connection', () => {
  const open = async (): Promise<{ server: Server; connection: Awaited<ReturnType<typeof connectTls>> }> => {
    const { server, client } = pairOf()
    await server.accept({})
    const connection = await client
    await server.finish()
    return { server, connection }
  }
  const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? none).toString()

  test('skips tickets', async () => {
    const { server, connection } = await open()
    await server.records.write(recordTypes.handshake, message(messageTypes.newSessionTicket, [1, 2, 3]))
    await server.records.write(recordTypes.application, Buffer.from('hello'))
    expect(text(await connection.read())).toBe('hello')
  })

  test('follows an update of the keys, and updates its own if the server asks for it', async () => {
    const { server, connection } = await open()
    await server.records.write(recordTypes.handshake, message(messageTypes.keyUpdate, [1]))
    server.records.sendWith(new RecordCipher(suite, nextSecret(suite, server.secrets.server)))
    await server.records.write(recordTypes.application, Buffer.from('new key'))
    expect(text(await connection.read())).toBe('new key')
    expect((await server.records.read())?.content).toEqual(message(messageTypes.keyUpdate, [0]))
    server.records.receiveWith(new RecordCipher(suite, nextSecret(suite, server.secrets.client)))
    await connection.write(Buffer.from('answer'))
    expect(text((await server.records.read())?.content)).toBe('answer')
  })

  test('fails for endless updates of the keys', async () => {
    const { server, connection } = await open()
    let secret = server.secrets.server
    for (let count = 0; count < 17; count++) {
      await server.records.write(recordTypes.handshake, message(messageTypes.keyUpdate, [0]))
      secret = nextSecret(suite, secret)
      server.records.sendWith(new RecordCipher(suite, secret))
    }
    await expect(connection.read()).rejects.toThrow('tls: too many ignored records')
  })

  test('is not ended by an alert in the clear', async () => {
    const { server, connection } = await open()
    await server.raw.write(record(recordTypes.alert, [1, 0]))
    await expect(connection.read()).rejects.toThrow('unexpected message')
  })

  test('fails if it is cut within a record', async () => {
    const { server, connection } = await open()
    await server.raw.write(new Uint8Array([23, 3, 3, 0, 100, 1]))
    await server.raw.close()
    await expect(connection.read()).rejects.toThrow('unexpected EOF')
  })

  test('fails for a record that somebody has changed', async () => {
    const { server, connection } = await open()
    const sealed = new RecordCipher(suite, server.secrets.server).seal(recordTypes.application, Buffer.from('hello'))
    sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1
    await server.raw.write(sealed)
    await expect(connection.read()).rejects.toThrow('bad record MAC')
  })

  test('ends with close_notify', async () => {
    const { server, connection } = await open()
    await server.records.write(recordTypes.alert, new Uint8Array([1, 0]))
    expect(await connection.read()).toBeUndefined()
  })
})
