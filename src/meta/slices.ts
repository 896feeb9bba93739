/**
 * Long work in slices. An isolate does one thing at a time, so a long task does a part of its work (a few milliseconds), waits
 * for its next turn, and continues. One slice runs per turn of the event loop, however many tasks are queued: a new request waits
 * for one slice, not for one of each task.
 *
 *   for (const part of parts) {
 *     await nextSlice()
 *     work(part)
 *   }
 */

/** A task that waits for its turn. */
interface Waiting {
  /** The value of `wakes` when this task was last woken. */
  seenIn: number
}

/** The waiting tasks, first in, first out. */
const queue = new Set<Waiting>()
/** The number of slices that have begun. */
let slices = 0
/** The number of times that any task was woken. */
let wakes = 0

/** Lets the event loop turn: requests that have arrived are handled before this resolves. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

/** A task of a terminated request is never woken again. Another task skips it after this many of its own wake-ups. */
const MAX_WAKES_SKIPPED = 20

function isFirst(waiting: Waiting): boolean {
  for (const other of queue) {
    if (other === waiting) return true
    if (wakes - other.seenIn < MAX_WAKES_SKIPPED * queue.size) return false
    queue.delete(other)
  }
  return true
}

/** Resolves when it is the caller's turn. The caller then does one slice of work before it awaits anything else. */
export async function nextSlice(): Promise<void> {
  const waiting: Waiting = { seenIn: wakes }
  for (;;) {
    // A task that was skipped but was only slow queues again at the end.
    queue.add(waiting)
    const before = slices
    await turn()
    waiting.seenIn = ++wakes
    if (slices === before && isFirst(waiting)) break
  }
  queue.delete(waiting)
  slices++
}

/** Counts work; `due` tells when a slice is complete. */
export class Slicer {
  readonly #slice: number
  #done = 0

  /** @param slice the amount of work that takes a few milliseconds, in any unit */
  constructor(slice: number) {
    this.#slice = slice
  }

  /** Adds finished work. @returns whether the caller should wait for the next slice */
  due(amount: number): boolean {
    this.#done += amount
    if (this.#done < this.#slice) return false
    this.#done = 0
    return true
  }
}
