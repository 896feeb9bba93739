/** Many deadlines on one timer: the runtime allows a Durable Object 10,000 timers, and it can have more watchers than that. */

/** A deadline that can be cancelled. */
export interface Timer {
  cancel(): void
}

class Entry implements Timer {
  readonly at: number
  run: (() => void) | undefined

  constructor(at: number, run: () => void) {
    this.at = at
    this.run = run
  }

  cancel(): void {
    this.run = undefined
  }
}

/**
 * Deadlines in a binary heap. A cancelled deadline stays in the heap until its time, so deadlines should not be far in the
 * future.
 */
export class Timers {
  readonly #heap: Entry[] = []
  #armedFor = Number.POSITIVE_INFINITY
  #armed: ReturnType<typeof setTimeout> | undefined

  /** Runs `run` after this many milliseconds, or a little later. Its errors are logged. */
  after(milliseconds: number, run: () => void): Timer {
    const entry = new Entry(Date.now() + milliseconds, run)
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
      runSafely(next.run)
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

function runSafely(run: (() => void) | undefined): void {
  try {
    run?.()
  } catch (error) {
    console.error('a timer failed', error)
  }
}
