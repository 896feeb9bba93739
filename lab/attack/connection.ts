/** A connection that sends requests one after another as raw bytes, including ones that no library would send. */
import { connect, type TLSSocket } from 'node:tls'
import { type Answer, AnswerReader } from './answer-reader.ts'
import { type AttackRequest, bytesOf, mayStream, type Target } from './request.ts'

/** The outcome of a request. */
export interface Outcome {
  readonly ending: 'answered' | 'cut' | 'silent' | 'garbled'
  /** The received part of the response. */
  readonly answer: Answer
  readonly milliseconds: number
  /** The error, for investigation. */
  readonly reason: string
}

/** The usual timeout of a response, in milliseconds. */
const usualPatience = 45_000

/** How long a possibly endless response is read, in milliseconds. */
const listening = 20

export class Connection {
  readonly #target: Target
  readonly #patience: number
  #socket: TLSSocket | undefined
  #isUsed = false

  /** @param patience the timeout of a response, in milliseconds */
  constructor(target: Target, patience = usualPatience) {
    this.#target = target
    this.#patience = patience
  }

  /** Sends a request and waits for the response; retries on a new connection if the old one was closed. */
  async exchange(request: AttackRequest): Promise<Outcome> {
    const wasUsed = this.#isUsed && this.#socket !== undefined
    const outcome = await this.#attempt(request)
    const isStale = wasUsed && outcome.ending === 'cut' && outcome.answer.status === 0
    return isStale ? this.#attempt(request) : outcome
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  #open(): TLSSocket {
    if (this.#socket === undefined || this.#socket.destroyed || this.#socket.readableEnded) {
      const { hostname, port } = this.#target.url
      this.#socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
      this.#socket.setNoDelay(true)
      this.#isUsed = false
    }
    return this.#socket
  }

  #attempt(request: AttackRequest): Promise<Outcome> {
    const socket = this.#open()
    const reader = new AnswerReader(request.method === 'HEAD')
    const begun = performance.now()
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    let isOver = false
    const end = (ending: Outcome['ending'], reason = ''): void => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      for (const event of ['data', 'error', 'end', 'close']) socket.removeAllListeners(event)
      socket.on('error', () => undefined)
      this.#isUsed = true
      const answer = reader.answer(ending === 'answered')
      if (ending !== 'answered' || answer.headers.get('connection')?.toLowerCase() === 'close' || answer.status === 101)
        this.close()
      resolve({ ending, answer, milliseconds: performance.now() - begun, reason })
    }
    const timer = setTimeout(() => end('silent', `no whole answer after ${this.#patience} ms`), this.#patience)
    socket.on('data', (bytes: Buffer) => {
      try {
        if (reader.push(bytes)) end('answered')
        else if (reader.status === 200 && mayStream(request)) {
          setTimeout(() => {
            if (isOver) return
            end('answered')
            this.close()
          }, listening)
        }
      } catch (error) {
        end('garbled', String(error))
      }
    })
    socket.on('error', (error) => end('cut', error.message))
    socket.on('end', () => (reader.endsHere() ? end('answered') : end('cut', 'the server ended the connection')))
    socket.on('close', () => end('cut', 'the connection was closed'))
    socket.write(bytesOf(request, this.#target))
    return promise
  }
}
