/** Requests to the isolate, and their counts. */
import { type ClientRequest, request } from 'node:http'
import { adminToken } from './isolate.ts'

interface Sent {
  readonly status: number
  readonly received: number
  readonly text: string
}

export class Traffic {
  readonly #port: number
  readonly #watches: ClientRequest[] = []
  #isOver = false
  endedWatches = 0
  /** Bytes of events. */
  watched = 0
  /** Bytes of lists. */
  listed = 0
  /** Lists for which the server had no room. */
  refused = 0

  constructor(port: number) {
    this.#port = port
  }

  get watches(): number {
    return this.#watches.length
  }

  /** Ends the watches. */
  end(): void {
    this.#isOver = true
    for (const each of this.#watches) each.destroy()
  }

  send(method: string, path: string, options: { accept?: string; body?: unknown } = {}): Promise<Sent> {
    const { promise, resolve: done, reject } = Promise.withResolvers<Sent>()
    const text = options.body === undefined ? undefined : JSON.stringify(options.body)
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const headers = { authorization: `Bearer ${adminToken}`, accept: options.accept ?? 'application/json', 'content-type': type }
    const sent = request({ host: '127.0.0.1', port: this.#port, method, path, headers }, (response) => {
      const chunks: Buffer[] = []
      let received = 0
      response.on('data', (chunk: Buffer) => {
        received += chunk.byteLength
        if (received < 10_000) chunks.push(chunk)
      })
      response.on('end', () => done({ status: response.statusCode ?? 0, received, text: Buffer.concat(chunks).toString() }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(text)
    return promise
  }

  /** Lists until the server has room for another long response, as clients do. */
  async list(path: string, accept: string): Promise<void> {
    const answer = await this.send('GET', path, { accept })
    if (answer.status === 429) {
      this.refused++
      await new Promise((resolve) => setTimeout(resolve, 1000))
      return this.list(path, accept)
    }
    const { received } = await this.expected(200, Promise.resolve(answer))
    this.listed += received
  }

  /** Waits for a response. @throws Error if it has another status */
  async expected(status: number, answer: Promise<Sent>): Promise<Sent> {
    const sent = await answer
    if (sent.status !== status) throw new Error(`${sent.status} instead of ${status}: ${sent.text}`)
    return sent
  }

  /** Opens a watch, and keeps it open. */
  watch(path: string, accept: string): Promise<void> {
    const { promise, resolve: opened } = Promise.withResolvers<void>()
    const headers = { authorization: `Bearer ${adminToken}`, accept }
    const sent = request(
      { host: '127.0.0.1', port: this.#port, path: `${path}?watch=1&allowWatchBookmarks=true`, headers },
      (response) => {
        opened()
        response.on('data', (chunk: Buffer) => {
          this.watched += chunk.byteLength
        })
        response.on('close', () => {
          if (!this.#isOver) this.endedWatches++
        })
        response.on('error', () => {})
      },
    )
    sent.on('error', () => {})
    sent.end()
    this.#watches.push(sent)
    return promise
  }
}
