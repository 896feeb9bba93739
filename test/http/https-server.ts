/** An HTTPS server with a certificate of a private CA, to which the tested server sends requests. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { Authority } from './certificate-authority.ts'

/** A received request. */
export interface ReceivedRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** The response: status and JSON body. `nothing` leaves the connection open. */
export type Answer =
  | 'nothing'
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body: unknown }

export interface HttpsServer {
  readonly url: string
  /** Makes the response to each request; may be replaced. */
  answer: (request: ReceivedRequest) => Answer | Promise<Answer>
  /** All requests, the oldest first. */
  readonly requests: ReceivedRequest[]
  close(): void
}

/** Starts a server at 127.0.0.1. */
export async function startHttps(authority: Authority, answer: HttpsServer['answer']): Promise<HttpsServer> {
  const { certificate, key } = await authority.issue([['CN', 'server']], { usage: 'serverAuth', addresses: ['127.0.0.1'] })
  const requests: ReceivedRequest[] = []
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const one = { path: request.url ?? '', headers: request.headers, body }
    requests.push(one)
    const reply = await found.answer(one)
    if (reply === 'nothing') return
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers })
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body))
  }
  const server = createServer({ cert: certificate, key }, (request, response) => void listener(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const found: HttpsServer = {
    url: `https://127.0.0.1:${port}`,
    answer,
    requests,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return found
}
