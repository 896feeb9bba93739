import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Server } from 'node:net'
import { connect as connectTls, createServer as createTlsServer, type Server as TlsServer } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issueAuthority, issueServer } from '../issue-certificates.ts'
import { ClientRecords, hasFirstRecord } from './tls-records.ts'

let tls: TlsServer
let relay: Server
/** The bytes of the last client, in the pieces in which they came. */
let sent: Buffer[]
/** Resolves when the server has the client's request. */
let asked: Promise<unknown[]>

const port = (server: Server | TlsServer): number => (server.address() as AddressInfo).port

beforeAll(async () => {
  const { certificate, key } = await issueServer(await issueAuthority(), ['localhost'])
  tls = createTlsServer({ cert: certificate, key }).listen(0, '127.0.0.1')
  relay = createServer((client) => {
    sent = []
    client.on('data', (chunk) => sent.push(chunk))
    client.pipe(createConnection(port(tls), '127.0.0.1')).pipe(client)
  }).listen(0, '127.0.0.1')
  await Promise.all([once(tls, 'listening'), once(relay, 'listening')])
})
afterAll(() => {
  relay.close()
  tls.close()
})

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('the records of a client that speaks %s', (version) => {
  test('tell when its first request begins, in whatever pieces they come', async () => {
    const secured = once(tls, 'secureConnection')
    const client = connectTls({ port: port(relay), host: '127.0.0.1', rejectUnauthorized: false, maxVersion: version })
    const [server] = (await secured) as [import('node:tls').TLSSocket]
    const handshake = Buffer.concat(sent)
    asked = once(server, 'data')
    client.write('GET / HTTP/1.1\r\n\r\n')
    await asked
    const all = Buffer.concat(sent)
    client.destroy()
    expect(new ClientRecords().hasApplicationData(handshake)).toBe(false)
    for (const size of [1, 7, all.length]) {
      const records = new ClientRecords()
      const pieces = Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.subarray(i * size, (i + 1) * size))
      const begins = pieces.findIndex((piece) => records.hasApplicationData(piece))
      expect((begins + 1) * size).toBeGreaterThan(handshake.length)
    }
    expect(hasFirstRecord(all)).toBe(true)
    expect(hasFirstRecord(all.subarray(0, 100))).toBe(false)
  })
})

test('bytes that are no TLS are not waited for', () => {
  expect(hasFirstRecord(Buffer.alloc(0))).toBe(false)
  expect(hasFirstRecord(Buffer.from('G'))).toBe(true)
})
