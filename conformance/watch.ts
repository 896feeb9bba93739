/** A watch of a scenario. */
import { setTimeout as pause } from 'node:timers/promises'
import type { JsonObject, JsonValue } from '../src/go/json-value.ts'

/** The time to wait for events, and between two looks at them, in milliseconds. */
const maxWait = 5000
const pollInterval = 20

/** Whether an event depends on the clock: a bookmark does, except for the one that ends the initial events. */
function isTimed(event: JsonObject): boolean {
  if (event.type !== 'BOOKMARK') return false
  const { metadata } = event.object as { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } }
  return metadata.annotations?.['k8s.io/initial-events-end'] === undefined
}

/** Yields the lines of a body that are not blank. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    yield* lines.filter((line) => line.trim() !== '')
  }
  if (rest.trim() !== '') yield rest
}

/** An open watch, whose events are collected. */
export class Watch {
  readonly response: Response
  readonly #events: JsonObject[] = []
  readonly #controller: AbortController
  readonly #end: Promise<void>
  #closed = false

  /** Sends the request; resolves when the response begins. */
  static async open(url: string, headers: Headers): Promise<Watch> {
    const controller = new AbortController()
    return new Watch(await fetch(url, { headers, signal: controller.signal }), controller)
  }

  private constructor(response: Response, controller: AbortController) {
    this.response = response
    this.#controller = controller
    this.#end = this.#collect()
  }

  async #collect(): Promise<void> {
    try {
      if (this.response.body === null) return
      for await (const line of linesOf(this.response.body)) {
        const event = JSON.parse(line) as JsonObject
        if (!isTimed(event)) this.#events.push(event)
      }
    } catch (error) {
      if (!this.#controller.signal.aborted) this.#events.push({ broken: String(error) })
    } finally {
      this.#closed = true
    }
  }

  /** Waits for a number of events, or without it for the time or the end, and closes the watch. */
  async stop(count = Number.POSITIVE_INFINITY, timeout = maxWait): Promise<{ events: JsonValue[]; closed: boolean }> {
    const deadline = Date.now() + timeout
    while (this.#events.length < count && Date.now() < deadline && !this.#closed) await pause(pollInterval)
    const closed = this.#closed
    this.abort()
    await this.#end
    return { events: this.#events.slice(0, count), closed }
  }

  /** Closes the watch. */
  abort(): void {
    this.#controller.abort()
  }
}
