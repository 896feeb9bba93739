/** A WebSocket client for remote commands and tunnels: binary messages of channels, or of bytes. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { dataFrame, frames, opcodes } from '../../../src/net/websocket-frames.ts'
import type { TestServer } from '../../server.ts'

/** An open WebSocket. */
export interface BinarySocket {
  readonly protocol: string | undefined
  send(...bytes: readonly (number | string)[]): void
  /** Returns the next message that is not empty; undefined when the server has closed the connection. */
  next(): Promise<Buffer | undefined>
  /** Ends the connection without a close frame. */
  destroy(): void
}

const bytesOf = (parts: readonly (number | string)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : Buffer.from(part))))

/** Sends a handshake. @returns the response of a server that refuses */
export async function openBinary(
  server: TestServer,
  path: string,
  protocol: string,
  more: Readonly<Record<string, string>> = {},
): Promise<BinarySocket | { readonly status: number; readonly text: string }> {
  const headers = {
    authorization: `Bearer ${server.token}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-protocol': protocol,
    ...more,
  }
  const ca = readFileSync(join(server.dataDirectory, 'tls/ca.crt'))
  const sent = request({ host: '127.0.0.1', port: server.port, ca, path, headers }).end()
  const answer = Promise.race([once(sent, 'upgrade'), once(sent, 'response')])
  const [response, socket] = (await answer) as [IncomingMessage, Duplex | undefined]
  if (socket === undefined) {
    let text = ''
    for await (const chunk of response) text += String(chunk)
    return { status: response.statusCode ?? 0, text }
  }
  const received = frames(socket)
  return {
    protocol: response.headers['sec-websocket-protocol'],
    send: (...bytes) => void socket.write(dataFrame(new Uint8Array(bytesOf(bytes)).buffer)),
    async next() {
      for (;;) {
        const { value, done } = await received.next()
        if (done === true || value.opcode === opcodes.close) return undefined
        if (value.opcode === opcodes.binary && value.data.length > 1) return Buffer.from(value.data)
      }
    },
    destroy: () => void socket.destroy(),
  }
}

/** Opens a WebSocket. @throws Error if the server refuses */
export async function mustOpen(...args: Parameters<typeof openBinary>): Promise<BinarySocket> {
  const found = await openBinary(...args)
  if ('status' in found) throw new Error(`${found.status}: ${found.text}`)
  return found
}
