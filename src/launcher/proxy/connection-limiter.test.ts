import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ConnectionLimiter } from './connection-limiter.ts'

let server: Server
let limiter: ConnectionLimiter

beforeEach(async () => {
  limiter = new ConnectionLimiter({ open: 100, idle: 8, idleMilliseconds: 60_000 })
  server = createServer((socket) => {
    limiter.admit(socket)
    socket.once('data', () => {
      limiter.requestReceived(socket)
      socket.end('heard')
    })
  }).listen(0, '0.0.0.0')
  await once(server, 'listening')
})
afterEach(() => {
  limiter.closeAll()
  server.close()
})

async function idleFrom(localAddress: string): Promise<Socket> {
  const socket = new Socket().on('error', () => undefined)
  const admitted = once(server, 'connection')
  socket.connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, localAddress })
  await admitted
  return socket
}

// All of 127.0.0.0/8 is this machine's on Linux only.
test.runIf(process.platform === 'linux')('many idle connections from one address do not end those of another', async () => {
  const other = await idleFrom('127.0.0.2')
  const crowd: Socket[] = []
  for (let i = 0; i < 20; i++) crowd.push(await idleFrom('127.0.0.3'))
  expect(limiter.size).toBe(1 + 4)
  other.write('hello')
  const [answer] = (await once(other, 'data')) as [Buffer]
  expect(String(answer)).toBe('heard')
  for (const socket of crowd) socket.destroy()
})
