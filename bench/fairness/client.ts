/** Requests of one connection pool, of which the answers' bodies are read and, unless they are asked for, dropped. */
import { Agent, request } from 'node:https'

export interface Answered {
  readonly status: number
  readonly text: string
  readonly milliseconds: number
}

export interface Asked {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the text of the answer is wanted. */
  readonly keep?: boolean
}

export type Client = (path: string, asked?: Asked) => Promise<Answered>

/** @param url of a server on this machine, whose certificate is not looked at */
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
