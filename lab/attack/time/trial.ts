/** Sends requests that are slow for bad code, and judges the processor time that the server spends on each. */

import { takenBy } from '../../processes.ts'
import { Connection, type Outcome } from '../connection.ts'
import { suspicionOf } from '../judge.ts'
import { type AttackRequest, type Target, versionRequest } from '../request.ts'
import type { TimeCase } from './cases.ts'
import { processorTime } from './meter.ts'

/** The size of the field in the first request of a case, in bytes. */
const usual = 128 * 1024
/** How much smaller the request is with which a slow one is compared. */
const factor = 4
/** Linear work grows with the factor, work with the square of its input with the square of the factor. */
const mostGrowth = 9
/** The processor time, in milliseconds, from which a request is compared: below, the noise is larger than the growth. */
const suspicious = 100
/** A machine that is busy now and then makes one measurement wrong, hardly all of them. */
const attempts = 3

/** The largest objects that etcd takes, which the slowest cases are sent as in the end. */
const largest = 1_400_000
const slowestCount = 12
/** Linear work grows elevenfold from the usual size to the largest, work with the square of its input 114-fold. */
const mostGrowthOfLargest = 40
/** The most processor time of a largest request, in milliseconds. */
const mostOfLargest = 12_000
/** The timeout of a response, in milliseconds: on a busy machine a second of processor time may take long. */
const patience = 300_000
/** The most memory, in bytes, that the server may have grown by: the garbage of some largest requests, not the heap's limit. */
const mostMemory = 2 ** 30

/** The server on trial. */
export interface TriedServer {
  readonly target: Target
  readonly pid: number
  /** Takes a description of each finding. */
  readonly progress: (text: string) => void
}

interface Cost {
  readonly request: AttackRequest
  readonly outcome: Outcome
  /** Milliseconds. */
  readonly processor: number
}

export class TimeTrial {
  /** The number of requests that cost too much. */
  findings = 0
  /** The longest that another client waited for an answer while such a request was served, in milliseconds. */
  longestWait = 0
  readonly #server: TriedServer
  readonly #connection: Connection
  readonly #innocent: Connection
  readonly #memory: number
  readonly #costs = new Map<TimeCase, number>()

  constructor(server: TriedServer) {
    this.#server = server
    this.#connection = new Connection(server.target, patience)
    this.#innocent = new Connection(server.target, patience)
    this.#memory = takenBy(server.pid).memory
  }

  /** Tries a case with the usual size. */
  async try(timeCase: TimeCase): Promise<void> {
    const cost = await this.#send(timeCase, usual)
    if (!this.#isAnswered(timeCase, cost)) return
    this.#costs.set(timeCase, cost.processor)
    if (cost.processor < suspicious) return
    const growths: string[] = []
    for (let attempt = 0; attempt < attempts; attempt++) {
      const [small, large] = [await this.#send(timeCase, usual / factor), await this.#send(timeCase, usual)]
      if (large.processor < suspicious || large.processor / small.processor < mostGrowth) return
      growths.push(`${Math.round(small.processor)} and ${Math.round(large.processor)} ms`)
    }
    this.#costs.delete(timeCase)
    this.#find(timeCase, `${usual / factor} and ${usual} bytes take ${growths.join(', ')} of processor time`)
  }

  /** Tries the slowest cases so far with the largest size. */
  async trySlowest(): Promise<void> {
    const slowest = [...this.#costs].sort(([, a], [, b]) => b - a).slice(0, slowestCount)
    for (const [timeCase, before] of slowest) {
      const bound = Math.min(mostOfLargest, Math.max(before, suspicious) * mostGrowthOfLargest)
      const cost = await this.#send(timeCase, largest)
      if (!this.#isAnswered(timeCase, cost) || cost.processor <= bound) continue
      const again = await this.#send(timeCase, largest)
      if (again.processor <= bound) continue
      this.#find(timeCase, `${largest} bytes take ${Math.round(again.processor)} ms of processor time`)
    }
  }

  close(): void {
    this.#connection.close()
    this.#innocent.close()
  }

  /** Sends a case, and beside it the request of another client. */
  async #send(timeCase: TimeCase, size: number): Promise<Cost> {
    const { pid } = this.#server
    const request = timeCase.request(size)
    const before = processorTime(pid)
    const [outcome, other] = await Promise.all([this.#connection.exchange(request), this.#innocent.exchange(versionRequest)])
    const processor = processorTime(pid) - before
    this.longestWait = Math.max(this.longestWait, other.milliseconds)
    return { request, outcome, processor }
  }

  #isAnswered(timeCase: TimeCase, { request, outcome }: Cost): boolean {
    const grown = takenBy(this.#server.pid).memory - this.#memory
    if (grown > mostMemory) this.#find(timeCase, `the server has grown by ${Math.round(grown / 2 ** 20)} MiB`)
    const suspicion = suspicionOf(request, outcome)
    if (suspicion === undefined) return true
    this.#find(timeCase, `${suspicion.what}: ${suspicion.detail.slice(0, 500)}`)
    return false
  }

  #find({ title }: TimeCase, detail: string): void {
    this.#server.progress(`${title}\n    ${detail}`)
    this.findings++
  }
}
