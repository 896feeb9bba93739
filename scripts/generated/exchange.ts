/** Sends a case to a server and gives the answer in a form in which two servers' answers can be compared. */
import { Agent, request } from 'node:https'

/** A server that is asked. */
export interface Endpoint {
  readonly url: string
  readonly token: string
}

/** An answer, with what the clock and chance decide replaced. */
export interface Exchange {
  readonly status: number
  readonly warnings: readonly string[]
  readonly body: unknown
}

const agent = new Agent({ keepAlive: true, maxSockets: 16, rejectUnauthorized: false })

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Values that are another on each server, by the name of their field. */
const chance: Readonly<Record<string, string>> = {
  resourceVersion: '<version>',
  creationTimestamp: '<time>',
  time: '<time>',
  uid: '<uid>',
  clusterIP: '<address>',
  clusterIPs: '<addresses>',
  nodePort: '<port>',
  healthCheckNodePort: '<port>',
}

function settled(text: string, sent: string): unknown {
  return JSON.parse(text.replace(uuid, '<uid>'), (key, value: unknown) => {
    const placeholder = chance[key]
    if (placeholder === undefined || value === null) return value
    // What was asked for is to come back.
    return sent.includes(`"${key}":${JSON.stringify(value)}`) ? value : placeholder
  })
}

function parsed(text: string, sent: string): unknown {
  try {
    return settled(text, sent)
  } catch {
    return text
  }
}

const warningsOf = (header: string | string[] | undefined): string[] =>
  header === undefined ? [] : [header].flat().sort((a, b) => (a < b ? -1 : 1))

/** @param body the object as JSON; undefined for none */
export function exchange(to: Endpoint, method: string, path: string, body?: string): Promise<Exchange> {
  const { promise, resolve, reject } = Promise.withResolvers<Exchange>()
  const headers = {
    authorization: `Bearer ${to.token}`,
    'user-agent': 'differential/1',
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
  }
  const outgoing = request(`${to.url}${path}`, { method, agent, headers }, (incoming) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('error', reject)
    incoming.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      resolve({
        status: incoming.statusCode ?? 0,
        warnings: warningsOf(incoming.headersDistinct.warning),
        body: parsed(text, body ?? ''),
      })
    })
  })
  outgoing.on('error', reject)
  outgoing.end(body)
  return promise
}
