/** Requests to any server, with whatever certificate. */
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'

/** What is sent beside the path. */
export interface Sent {
  readonly method: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Text as it is, anything else as JSON. */
  readonly body?: unknown
  /** Left out: the administrator's; false: none. */
  readonly token?: string | false
}

/** Sends a request; gives the answer as it begins. */
export type Open = (path: string, sent: Sent) => Promise<IncomingMessage>

/**
 * @param server its URL
 * @param administrator the token of an administrator
 * @returns how to send requests, and how to end the connections that are left
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
