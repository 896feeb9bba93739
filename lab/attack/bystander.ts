/** Another client of the server under attack: how long it waits. */
import type { Client } from '../../test/client.ts'
import { Connection } from './connection.ts'
import { versionRequest } from './request.ts'

/** The pause between its requests, in milliseconds. */
const pause = 50

/** Asks for the version again and again until it is stopped. */
export class Bystander {
  readonly #connection: Connection
  readonly #waits: number[] = []
  #isStopped = false
  #running: Promise<void> | undefined

  constructor({ url, token }: Client) {
    this.#connection = new Connection({ url: new URL(url), token })
  }

  start(): void {
    this.#running = this.#run()
  }

  /** Resolves to its waits in milliseconds: the median, and the longest one. */
  async stop(): Promise<{ readonly median: number; readonly longest: number }> {
    this.#isStopped = true
    await this.#running
    this.#connection.close()
    const sorted = this.#waits.toSorted((one, other) => one - other)
    return { median: Math.round(sorted[sorted.length >> 1] ?? 0), longest: Math.round(sorted.at(-1) ?? 0) }
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#waits.push((await this.#connection.exchange(versionRequest)).milliseconds)
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}
