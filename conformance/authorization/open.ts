/** Sends requests to any server, without verifying its certificate. */
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'

/** The options of a request. */
export interface Sent {
  readonly method: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Strings are sent unchanged, other values as JSON. */
  readonly body?: unknown
  /** The administrator's token by default; false sends no token. */
  readonly token?: string | false
}

/** Sends a request; resolves when the response begins. */
export type Open = (path: string, sent: Sent) => Promise<IncomingMessage>

/**
 * Makes a client.
 * @param server its URL
 * @param administrator the token of an administrator
 * @returns a function that sends requests, and one that closes the connections
 */
export function opener(server: string, administrator: string): { open: Open; close: () => void } {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false })
  const { hostname: host, port } = new URL(server)
  const open: Open = (path, { method, headers, body: given, token = administrator }) => {
    const body = given === undefined || typeof given === 'string' ? given : JSON.stringify(given)
    const bearer = token === false ? {} : { authorization: `Bearer ${token}` }
    const length =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
    const all = { accept: 'application/json', ...bearer, ...length, ...headers }
    return new Promise((done, failed) => {
      const sent = request({ agent, host, port, path, method, headers: all as Record<string, string | string[]> }, done)
      sent.on('error', failed)
      sent.end(body)
    })
  }
  return { open, close: () => agent.destroy() }
}
