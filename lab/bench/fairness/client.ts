/** A client with a connection pool that reads response bodies and, unless they are needed, drops them. */
import { Agent, request } from 'node:https'

export interface Answered {
  readonly status: number
  readonly text: string
  readonly milliseconds: number
}

export interface RequestOptions {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the text of the response is needed. */
  readonly keep?: boolean
}

export type Client = (path: string, asked?: RequestOptions) => Promise<Answered>

/**
 * Makes a client.
 * @param url of a server on this machine; its certificate is not verified
 */
export function clientOf(url: string, token: string): Client {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false })
  return (path, { method = 'GET', body, headers = {}, keep = true } = {}) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const own = text === undefined ? {} : { 'content-type': type, 'content-length': String(Buffer.byteLength(text)) }
    const began = performance.now()
    return new Promise((done, failed) => {
      const sent = request(url + path, {
        agent,
        method,
        headers: { authorization: `Bearer ${token}`, accept: 'application/json', ...own, ...headers },
      })
      sent.on('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => {
          if (keep) chunks.push(chunk)
        })
        response.on('error', failed)
        response.on('end', () =>
          done({
            status: response.statusCode ?? 0,
            text: Buffer.concat(chunks).toString(),
            milliseconds: performance.now() - began,
          }),
        )
      })
      sent.on('error', failed)
      sent.end(text)
    })
  }
}
