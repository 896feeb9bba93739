/** The webhook of the recorded matrix: an HTTPS server that answers by the path at which it is called. */
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type Authority, makeAuthority } from '../certificate-authority.ts'
import { answers, type Review } from './answers.ts'

/** A review that was received. */
export interface Received {
  /** With the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly review: Review
}

/** A running webhook server. */
export interface WebhookServer {
  readonly port: number
  readonly authority: Authority
  /** The caBundle of configurations. */
  readonly caBundle: string
  /** The reviews since the list was last emptied, the oldest first. */
  readonly received: Received[]
  /** The number of connections so far. */
  connections(): number
  stop(): void
}

/** Starts the server at a free port of 127.0.0.1. */
export async function startWebhookServer(): Promise<WebhookServer> {
  const authority = await makeAuthority('admission')
  const { certificate, key } = await authority.issue([['CN', 'server']], { usage: 'serverAuth', addresses: ['127.0.0.1'] })
  const received: Received[] = []
  let connections = 0
  const server = createServer({ cert: certificate, key }, async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const path = request.url ?? ''
    // A redirected call may have no body.
    const review = (text === '' ? { request: {} } : JSON.parse(text)) as Review
    received.push({ path, headers: request.headers, review })
    const answer = answers[(path.split('?')[0] ?? '').slice(1)]?.(review) ?? { body: 'no such case', status: 404 }
    if (answer === 'close') {
      request.socket.destroy()
      return
    }
    if ('response' in answer) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ apiVersion: review.apiVersion, kind: 'AdmissionReview', ...answer }))
      return
    }
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers })
    response.end(answer.body)
  })
  server.on('secureConnection', () => {
    connections++
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    authority,
    caBundle: Buffer.from(authority.certificate).toString('base64'),
    received,
    connections: () => connections,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
