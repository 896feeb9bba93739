/** The server whose lists are measured. */
import { Agent, request } from 'node:https'
import type { Endpoint } from '../../../test/client.ts'

export interface Target extends Endpoint {
  /** The processes that are measured. */
  readonly pids: readonly number[]
}

export interface Answer {
  readonly status: number | string
  readonly bytes: number
}

/** Sends requests and counts the bytes of the responses, also of those that are cut off. */
export class Sender {
  readonly #server: Endpoint
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false })

  constructor(server: Endpoint) {
    this.#server = server
  }

  send(method: string, path: string, headers: Readonly<Record<string, string>>, body?: string): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>()
    let bytes = 0
    const all = {
      authorization: `Bearer ${this.#server.token}`,
      ...headers,
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
    }
    const sent = request(`${this.#server.url}${path}`, { agent: this.#agent, method, headers: all }, (answer) => {
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.byteLength
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, bytes }))
      answer.on('error', () => resolve({ status: `${answer.statusCode} cut off`, bytes }))
    })
    sent.on('error', (error: NodeJS.ErrnoException) => resolve({ status: error.code ?? error.message, bytes }))
    sent.end(body)
    return promise
  }

  close(): void {
    this.#agent.destroy()
  }
}
