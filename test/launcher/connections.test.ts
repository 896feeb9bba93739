/** More connections than a server can hold, in every state in which a client can leave one. */
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { edgeplane, openWatch, type Server, startStandIn, temporaryDirectory, workerdPid } from './harness.ts'

const request = 'GET /rows HTTP/1.1\r\nHost: a\r\n\r\n'

/** Clients that do nothing more once they are in their state. The server's process may have 256 descriptors. */
const states: Readonly<Record<string, string | undefined>> = {
  'silent before the handshake': undefined,
  'without a request after the handshake': '',
  'with a part of a head': 'GET / HTTP/1.1\r\nHost: a\r\n',
  'idle after a response': request,
  'with a part of a body': 'POST /rows HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{',
}
const descriptors = 256
const open = 76
const clients = 200

/** Opens a connection and sends the text over TLS; nothing and without TLS if it is undefined. */
function client({ port }: Server, text: string | undefined): Socket {
  if (text === undefined) return connect(port, '127.0.0.1').on('error', () => undefined)
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }).on('error', () => undefined)
  socket.once('secureConnect', () => socket.write(text)).resume()
  return socket
}

const before = ['/bin/sh', '-c', `ulimit -n ${descriptors}; exec "$@"`, 'sh']

describe.each(['tcp', 'tls'])('with a %s proxy in front of workerd', (kind) => {
  // A request whose body does not come is served, and the TLS proxy knows: it refuses others until the server gives up.
  const cases = Object.entries(states).filter(([name]) => kind === 'tcp' || !name.includes('body'))
  test.each(cases)('more connections than descriptors allow, %s, cut no watch, and others are served', async (_name, text) => {
    const server = await startStandIn({ before }, ...(kind === 'tls' ? ['--spdy'] : []))
    const workerd = workerdPid(server)
    const ended = (await openWatch(server)).closed.then(() => 'ended')
    await server.fetch('/rows', {}, 'first')
    const crowd: Socket[] = []
    let closed = 0
    try {
      for (let i = 0; i < clients; i++) crowd.push(client(server, text).once('close', () => closed++))
      await eventually(() => closed >= clients - open)
      expect(JSON.parse(await server.fetch('/rows'))).toEqual(['first'])
      expect(await Promise.race([ended, Promise.resolve('open')])).toBe('open')
      expect(workerdPid(server)).toBe(workerd)
      expect(server.output.stderr).toBe('')
    } finally {
      for (const socket of crowd) socket.destroy()
    }
  })
})

test('--max-connections bounds them, and more than there are descriptors for are refused with the reason', async () => {
  const server = await startStandIn({}, '--max-connections', '12')
  const watch = (await openWatch(server)).closed.then(() => 'ended')
  const crowd = Array.from({ length: 30 }, () => client(server, request))
  let closed = 0
  for (const socket of crowd) socket.once('close', () => closed++)
  await eventually(() => closed >= 19)
  expect(JSON.parse(await server.fetch('/rows'))).toEqual([])
  expect(await Promise.race([watch, Promise.resolve('open')])).toBe('open')
  for (const socket of crowd) socket.destroy()
  const run = await edgeplane(['start', '--data-dir', temporaryDirectory(), '--max-connections', '100'], { before })
  expect(await run.exit).toBe(1)
  expect(run.output.stderr).toBe(
    'edgeplane: --max-connections cannot be 100: 256 descriptors (ulimit -Hn) are enough for 76 connections.\n',
  )
})
