/** A server of a test's own with a certificate of an authority of its own, for what our server asks others. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { Authority } from './certificate-authority.ts'

/** A request that it got. */
export interface Asked {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** What it answers: a body as JSON, after which code. `nothing`: the connection is left open. */
export type Told =
  | 'nothing'
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body: unknown }

export interface HttpsServer {
  readonly url: string
  /** Changes what is answered from now on. */
  answer: (asked: Asked) => Told
  /** All that was asked, the oldest first. */
  readonly asked: Asked[]
  close(): void
}

/** Starts one at 127.0.0.1. */
export async function startHttps(authority: Authority, answer: (asked: Asked) => Told): Promise<HttpsServer> {
  const { certificate, key } = await authority.issue([['CN', 'server']], { usage: 'serverAuth', addresses: ['127.0.0.1'] })
  const asked: Asked[] = []
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const one = { path: request.url ?? '', headers: request.headers, body }
    asked.push(one)
    const told = found.answer(one)
    if (told === 'nothing') return
    response.writeHead(told.status ?? 200, { 'content-type': 'application/json', ...told.headers })
    response.end(typeof told.body === 'string' ? told.body : JSON.stringify(told.body))
  }
  const server = createServer({ cert: certificate, key }, (request, response) => void listener(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const found: HttpsServer = {
    url: `https://127.0.0.1:${port}`,
    answer,
    asked,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return found
}
