/** The handshake of TLS 1.2 with OpenSSL's server, and with somebody between. */
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { joined, number, vector } from '../../src/net/tls/bytes.ts'
import { connectTls, type ServerIdentity } from '../../src/net/tls/client.ts'
import { readClientCertificate } from '../../src/net/tls/client-certificate.ts'
import { readServerHello } from '../../src/net/tls/hello.ts'
import { type Authority, makeAuthority, type Pair } from '../http/certificate-authority.ts'

let authority: Authority
let pairs: Record<'ecdsa' | 'rsa', Pair>
const stop: (() => void)[] = []

beforeAll(async () => {
  authority = await makeAuthority('servers')
  const wish = { usage: 'serverAuth', names: ['server.test'] } as const
  const subject = [['CN', 'server.test']] as const
  pairs = { ecdsa: await authority.issue(subject, wish), rsa: await authority.issue(subject, { ...wish, key: 'rsa' }) }
})

afterEach(() => {
  for (const one of stop.splice(0)) one()
})

/** Starts a server that returns what it receives. */
async function serve(pair: Pair, options: TlsOptions): Promise<{ readonly port: number; readonly accepted: Promise<TLSSocket> }> {
  const { promise: accepted, resolve } = Promise.withResolvers<TLSSocket>()
  const server = createServer({ cert: pair.certificate, key: pair.key, maxVersion: 'TLSv1.2', ...options }, (socket) => {
    resolve(socket)
    socket.on('error', () => undefined)
    socket.pipe(socket)
  })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stop.push(() => server.close())
  return { port: (server.address() as AddressInfo).port, accepted }
}

/** Connects, and passes the server's bytes through a function. */
async function connected(port: number, identity: Partial<ServerIdentity> = {}, pass?: (socket: Socket) => Duplex) {
  const socket = connect(port, '127.0.0.1')
  stop.push(() => socket.destroy())
  await once(socket, 'connect')
  socket.on('error', () => undefined)
  const whole = { serverName: 'server.test', authorities: [authority.certificate], now: Date.now(), ...identity }
  const { readable, writable } = Duplex.toWeb(pass === undefined ? socket : pass(socket))
  return connectTls({ readable: readable as unknown as ReadableStream<Uint8Array>, writable }, whole)
}

const suites = { 'AES-128': 'AES128-GCM-SHA256', 'AES-256': 'AES256-GCM-SHA384' } as const
const noExtendedMasterSecret = 1

describe('a server that speaks only TLS 1.2', () => {
  test.each(
    (['ecdsa', 'rsa'] as const).flatMap((key) =>
      (['AES-128', 'AES-256'] as const).flatMap((suite) => ['X25519', 'P-256'].map((curve) => [key, suite, curve] as const)),
    ),
  )('is spoken to: %s, %s, %s', async (key, suite, curve) => {
    const ciphers = `ECDHE-${key.toUpperCase()}-${suites[suite]}`
    const { port, accepted } = await serve(pairs[key], { ciphers, ecdhCurve: curve })
    const connection = await connected(port)
    expect((await accepted).getCipher()).toMatchObject({ name: ciphers, version: 'TLSv1.2' })
    const sent = Buffer.from('of some records '.repeat(5000))
    await connection.write(sent)
    const received: Uint8Array[] = []
    for (let length = 0; length < sent.length; ) {
      const part = await connection.read()
      received.push(part ?? new Uint8Array())
      length += part?.length ?? sent.length
    }
    expect(Buffer.concat(received).equals(sent)).toBe(true)
    ;(await accepted).end()
    expect(await connection.read()).toBeUndefined()
  })

  test('is spoken to without the extended master secret', async () => {
    const { port } = await serve(pairs.ecdsa, { secureOptions: noExtendedMasterSecret })
    const connection = await connected(port)
    await connection.write(Buffer.from('hello'))
    expect(Buffer.from((await connection.read()) ?? []).toString()).toBe('hello')
  })

  test('gets the client certificate that it asks for, or none', async () => {
    const options = { requestCert: true, rejectUnauthorized: false, ca: authority.certificate }
    const own = await authority.issue([['CN', 'client']])
    const [asked, again] = [await serve(pairs.rsa, options), await serve(pairs.rsa, options)]
    await connected(asked.port, { client: await readClientCertificate(own.certificate, own.key) })
    const socket = await asked.accepted
    expect([socket.authorized, socket.getPeerCertificate().subject.CN]).toEqual([true, 'client'])
    await connected(again.port)
    expect((await again.accepted).authorized).toBe(false)
  })

  test('is refused with another name, with another authority, and without a common suite', async () => {
    const { port } = await serve(pairs.ecdsa, {})
    await expect(connected(port, { serverName: 'other.test' })).rejects.toThrow('x509: certificate is valid for server.test')
    const other = await makeAuthority('others')
    await expect(connected(port, { authorities: [other.certificate] })).rejects.toThrow('signed by unknown authority')
    const { port: old } = await serve(pairs.rsa, { ciphers: 'AES128-GCM-SHA256' })
    await expect(connected(old)).rejects.toThrow('remote error: tls: handshake failure')
    const { port: older } = await serve(pairs.rsa, { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' })
    await expect(connected(older)).rejects.toThrow(/protocol version/)
  })
})

/** Changes the records of the server, each by its number. */
const changing =
  (change: (record: Buffer, index: number) => readonly Buffer[]) =>
  (socket: Socket): Duplex => {
    let pending = Buffer.alloc(0)
    let index = 0
    const outer = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => void socket.write(chunk, () => done()),
    })
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk])
      while (pending.length >= 5 && pending.length >= 5 + pending.readUInt16BE(3)) {
        const record = pending.subarray(0, 5 + pending.readUInt16BE(3))
        pending = pending.subarray(record.length)
        for (const one of change(Buffer.from(record), index++)) outer.push(one)
      }
    })
    socket.on('close', () => outer.push(null))
    return outer
  }

describe('somebody between this client and a server of TLS 1.2', () => {
  test('cannot change, drop or repeat a record of the handshake', async () => {
    let count = 0
    const seen = changing((record) => {
      count++
      return [record]
    })
    await connected((await serve(pairs.ecdsa, {})).port, {}, seen)
    // The records of ServerHello, Certificate, ServerKeyExchange, ServerHelloDone, ChangeCipherSpec and Finished.
    expect(count).toBe(6)
    const flipped = (record: Buffer): Buffer[] => {
      record[record.length - 1] = (record.at(-1) ?? 0) ^ 1
      return [record]
    }
    const repeated = (record: Buffer): Buffer[] => [record, record]
    for (const fault of [flipped, () => [], repeated]) {
      for (let at = 0; at < count; at++) {
        // Without ServerHelloDone both sides wait for each other; a second Finished would be noticed with the data.
        if ((at === 3 && fault !== repeated) || (at === 5 && fault !== flipped)) continue
        const { port } = await serve(pairs.ecdsa, {})
        const attempt = connected(
          port,
          {},
          changing((record, index) => (index === at ? fault(record) : [record])),
        )
        await expect(attempt, `record ${at}`).rejects.toThrow()
      }
    }
  })

  test('cannot change data', async () => {
    const { port } = await serve(pairs.ecdsa, {})
    let isChanged = false
    const connection = await connected(
      port,
      {},
      changing((record) => {
        if (isChanged) record[20] = (record[20] ?? 0) ^ 1
        return [record]
      }),
    )
    isChanged = true
    await connection.write(Buffer.from('a text that is long enough'))
    await expect(connection.read()).rejects.toThrow('local error: tls: bad record MAC')
  })

  test.each(['DOWNGRD\x01', 'DOWNGRD\x00'])('cannot make a server of TLS 1.3 speak it', (mark) => {
    const hello = (end: string): Uint8Array =>
      joined([3, 3], new Uint8Array(24), Buffer.from(end, 'latin1'), vector(1), number(0xc02b, 2), [0], vector(2))
    expect(() => readServerHello(hello(mark), new Uint8Array(32))).toThrow('tls: downgrade attempt detected')
    expect(readServerHello(hello('DOWNGRD\x02'), new Uint8Array(32)).version).toBe('TLS 1.2')
  })
})
