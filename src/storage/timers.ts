/** Many deadlines on one timer: the runtime allows a Durable Object 10,000 timers, and it can have more watchers than that. */
import { logError } from '../meta/log.ts'

/** A deadline that can be cancelled. */
export interface Timer {
  cancel(): void
}

class Entry implements Timer {
  readonly at: number
  run: (() => void) | undefined
  readonly #cancelled: () => void

  constructor(at: number, run: () => void, cancelled: () => void) {
    this.at = at
    this.run = run
    this.#cancelled = cancelled
  }

  cancel(): void {
    if (this.run === undefined) return
    this.run = undefined
    this.#cancelled()
  }
}

/**
 * Deadlines in a binary heap. A cancelled deadline stays in the heap until its time, so deadlines should not be far in the
 * future. When the last one is cancelled the timer is cancelled too: a Durable Object with a timer stays in memory, which is
 * billed.
 */
export class Timers {
  readonly #heap: Entry[] = []
  #armedFor = Number.POSITIVE_INFINITY
  #armed: ReturnType<typeof setTimeout> | undefined
  /** The number of deadlines in the heap that are not cancelled. */
  #left = 0
  readonly #cancelled = (): void => {
    this.#left--
    if (this.#left > 0) return
    this.#heap.length = 0
    clearTimeout(this.#armed)
    this.#armedFor = Number.POSITIVE_INFINITY
  }

  /** Runs `run` after this many milliseconds, or a little later. Its errors are logged. */
  after(milliseconds: number, run: () => void): Timer {
    const entry = new Entry(Date.now() + milliseconds, run, this.#cancelled)
    this.#left++
    this.#push(entry)
    this.#arm()
    return entry
  }

  #arm(): void {
    const next = this.#heap[0]
    if (next === undefined || next.at >= this.#armedFor) return
    clearTimeout(this.#armed)
    this.#armedFor = next.at
    this.#armed = setTimeout(() => this.#fire(), Math.max(0, next.at - Date.now()))
  }

  #fire(): void {
    this.#armedFor = Number.POSITIVE_INFINITY
    // The runtime's timers may fire a fraction of a millisecond early.
    const now = Date.now() + 1
    for (let next = this.#heap[0]; next !== undefined && next.at <= now; next = this.#heap[0]) {
      this.#pop()
      const { run } = next
      if (run === undefined) continue
      next.run = undefined
      this.#left--
      runSafely(run)
    }
    this.#arm()
  }

  #push(entry: Entry): void {
    const heap = this.#heap
    let at = heap.length
    for (let above = (at - 1) >> 1; at > 0; above = (at - 1) >> 1) {
      const parent = heap[above]
      if (parent === undefined || parent.at <= entry.at) break
      heap[at] = parent
      at = above
    }
    heap[at] = entry
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let at = 0
    for (;;) {
      const child = this.#smallerChild(at)
      if (child === undefined || child.entry.at >= last.at) break
      heap[at] = child.entry
      at = child.at
    }
    heap[at] = last
  }

  #smallerChild(parent: number): { readonly at: number; readonly entry: Entry } | undefined {
    const at = parent * 2 + 1
    const left = this.#heap[at]
    const right = this.#heap[at + 1]
    if (left === undefined) return undefined
    return right !== undefined && right.at < left.at ? { at: at + 1, entry: right } : { at, entry: left }
  }
}

function runSafely(run: () => void): void {
  try {
    run()
  } catch (error) {
    logError('a timer failed', error)
  }
}
