import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { OpenConnections } from './open-connections.ts'

let server: Server
let connections: OpenConnections

beforeEach(async () => {
  connections = new OpenConnections({ open: 100, silent: 8, silentMilliseconds: 60_000 })
  server = createServer((socket) => {
    connections.admit(socket)
    socket.once('data', () => {
      connections.spoke(socket)
      socket.end('heard')
    })
  }).listen(0, '0.0.0.0')
  await once(server, 'listening')
})
afterEach(() => {
  connections.end()
  server.close()
})

async function silentFrom(localAddress: string): Promise<Socket> {
  const socket = new Socket().on('error', () => undefined)
  const admitted = once(server, 'connection')
  socket.connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, localAddress })
  await admitted
  return socket
}

// All of 127.0.0.0/8 is this machine's on Linux only.
test.runIf(process.platform === 'linux')('many silent connections from one address do not end those of another', async () => {
  const other = await silentFrom('127.0.0.2')
  const crowd: Socket[] = []
  for (let i = 0; i < 20; i++) crowd.push(await silentFrom('127.0.0.3'))
  expect(connections.size).toBe(1 + 4)
  other.write('hello')
  const [answer] = (await once(other, 'data')) as [Buffer]
  expect(String(answer)).toBe('heard')
  for (const socket of crowd) socket.destroy()
})
