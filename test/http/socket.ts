/** A WebSocket client for watches that shows frames. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import type { TestServer } from '../server.ts'

/** A received frame. */
export interface Frame {
  readonly opcode: 'text' | 'close' | 'other'
  readonly text: string
  /** The code of a close frame. */
  readonly code?: number
}

const opcodes: Readonly<Record<number, Frame['opcode']>> = { 1: 'text', 8: 'close' }

/** Decodes the first frame; undefined if it is incomplete. */
function frameOf(bytes: Buffer): { readonly frame: Frame; readonly length: number } | undefined {
  const [first, second] = bytes
  if (first === undefined || second === undefined) return undefined
  const begin = second === 126 ? 4 : 2
  if (bytes.length < begin) return undefined
  const end = begin + (second === 126 ? bytes.readUInt16BE(2) : second)
  if (bytes.length < end) return undefined
  const payload = bytes.subarray(begin, end)
  const opcode = opcodes[first & 15] ?? 'other'
  if (opcode !== 'close') return { frame: { opcode, text: payload.toString() }, length: end }
  return { frame: { opcode, text: payload.subarray(2).toString(), code: payload.readUInt16BE(0) }, length: end }
}

/** The response to the handshake, and the frames until the close. */
export interface Conversation {
  readonly status: number | undefined
  readonly protocol: string | undefined
  frames(): AsyncGenerator<Frame>
}

/** Opens a watch with these headers in addition to the handshake's. */
export async function openSocket(
  server: TestServer,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Conversation> {
  const handshake = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.from('sixteen bytes....').toString('base64'),
    origin: 'https://example.test',
  }
  const ca = readFileSync(join(server.dataDirectory, 'tls/ca.crt'), 'utf8')
  const sent = request({ ca, host: '127.0.0.1', port: server.port, path, headers: { ...handshake, ...headers } })
  sent.end()
  const answered = await Promise.race([once(sent, 'upgrade'), once(sent, 'response')])
  const [response, socket, first = Buffer.alloc(0)] = answered as [IncomingMessage, Duplex?, Buffer?]
  return {
    status: response.statusCode,
    protocol: response.headers['sec-websocket-protocol'],
    async *frames() {
      if (socket === undefined) return
      // Frames that arrive together with the handshake response are not in the stream.
      socket.unshift(first)
      let bytes: Buffer = Buffer.alloc(0)
      for await (const chunk of socket) {
        bytes = Buffer.concat([bytes, chunk as Buffer])
        for (let next = frameOf(bytes); next !== undefined; next = frameOf(bytes)) {
          bytes = bytes.subarray(next.length)
          yield next.frame
          if (next.frame.opcode !== 'close') continue
          socket.destroy()
          return
        }
      }
    },
  }
}
