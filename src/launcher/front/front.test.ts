import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
import { makeAuthority } from '../../../test/http/certificate-authority.ts'
import { FrontEnd, type ServingKeys } from './front.ts'

const directory = mkdtempSync(join(tmpdir(), 'edgeplane-test-'))
const socket = join(directory, 'behind.sock')
let behind: Server
let front: FrontEnd
let port: number
let keys: ServingKeys
/** All that comes behind the front end. */
let got: string

beforeEach(async () => {
  got = ''
  behind = createServer((connection) => {
    connection.on('data', (bytes) => {
      got += String(bytes)
      connection.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    })
    connection.on('error', () => undefined)
  }).listen(socket)
  await once(behind, 'listening')
  const authority = await makeAuthority('clients')
  const own = await authority.issue([['CN', 'server']], { usage: 'serverAuth', addresses: ['127.0.0.1'] })
  keys = { ...own, clientAuthorities: authority.certificate }
  port = await freePort()
  front = await FrontEnd.listen({ host: '127.0.0.1', port, socket, header: 'x-told' }, keys)
})
afterEach(() => {
  front.close()
  behind.close()
})
afterAll(() => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }))

async function asked(): Promise<TLSSocket> {
  const client = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
  client.on('error', () => undefined)
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(client, 'data')
  return client
}

test('connections that were judged by other authorities end, those of another certificate of the server go on', async () => {
  const client = await asked()
  expect(got).toBe('GET / HTTP/1.1\r\nx-told: {"clientIp":"127.0.0.1"}\r\nHost: a\r\n\r\n')
  const closed = once(client, 'close')
  front.use({ ...keys })
  client.write('GET / HTTP/1.1\r\nHost: b\r\n\r\n')
  await once(client, 'data')
  front.use({ ...keys, clientAuthorities: (await makeAuthority('others')).certificate })
  await closed
  await asked()
})

test('a port that is taken is told in a sentence', async () => {
  const other = FrontEnd.listen({ host: '127.0.0.1', port, socket, header: 'x-told' }, keys)
  await expect(other).rejects.toThrow(`The server cannot listen on 127.0.0.1, port ${port}: the port is taken`)
})
