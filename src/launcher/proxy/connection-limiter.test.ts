import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, Socket } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Connection, ConnectionLimiter, type ConnectionState } from './connection-limiter.ts'

let server: Server
let limiter: ConnectionLimiter
let admitted: (Connection | undefined)[]
const clients: Socket[] = []

beforeEach(async () => {
  admitted = []
  limiter = new ConnectionLimiter({ open: 6, openingMilliseconds: 60_000 })
  server = createServer((socket) => {
    socket.resume()
    admitted.push(limiter.admit(socket))
  }).listen(0, '0.0.0.0')
  await once(server, 'listening')
})
afterEach(() => {
  vi.useRealTimers()
  limiter.closeAll()
  server.close()
  for (const client of clients.splice(0)) client.destroy()
})

/** Connects a client, and gives the server's side of its connection. */
async function connection(state: ConnectionState, localAddress = '127.0.0.1'): Promise<Connection> {
  const socket = new Socket().on('error', () => undefined)
  clients.push(socket)
  const accepted = once(server, 'connection')
  socket.connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, localAddress })
  await accepted
  const last = admitted.at(-1)
  if (last === undefined) throw new Error('the connection was refused')
  last.become(state)
  return last
}

const isOpen = ({ socket }: Connection): boolean => !socket.destroyed

// All of 127.0.0.0/8 is this machine's on Linux only.
test.runIf(process.platform === 'linux')('many opening connections from one address do not end those of another', async () => {
  const other = await connection('opening', '127.0.0.2')
  const crowd: Connection[] = []
  for (let i = 0; i < 20; i++) crowd.push(await connection('opening', '127.0.0.3'))
  expect(isOpen(other)).toBe(true)
  expect(crowd.map(isOpen).lastIndexOf(false)).toBe(14)
  expect(limiter.size).toBe(6)
})

test.each<[ConnectionState, 'oldest' | 'newest']>([
  ['opening', 'oldest'],
  ['idle', 'oldest'],
  ['answered', 'newest'],
  ['asking', 'oldest'],
])('when too many connections are open, the first that is closed is one that is %s, the %s', async (state, which) => {
  const served = [await connection('served'), await connection('served')]
  const others: Connection[] = []
  for (let i = 0; i < 4; i++) others.push(await connection(state))
  await connection('served')
  expect(isOpen((which === 'oldest' ? others[0] : others.at(-1)) as Connection)).toBe(false)
  expect([...served, ...others].filter(isOpen)).toHaveLength(5)
  expect(served.every(isOpen)).toBe(true)
})

test('a new connection is refused when all are served, are asking, or have been answered for long', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const open = [await connection('answered'), await connection('answered'), await connection('asking')]
  for (let i = 0; i < 3; i++) open.push(await connection('served'))
  vi.setSystemTime(Date.now() + 16_000)
  await expect(connection('opening')).rejects.toThrow('the connection was refused')
  expect(open.every(isOpen)).toBe(true)
})
