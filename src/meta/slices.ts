/**
 * Long work in slices. An isolate does one thing at a time: who has much to do does a part of it (a few milliseconds), waits for
 * the next turn, and goes on. One slice runs in each turn of the event loop, whoever has asked for how many: what has come in
 * meanwhile waits for one slice, and not for one of each.
 *
 *   for (const part of parts) {
 *     await nextSlice()
 *     work(part)
 *   }
 */

/** Somebody who waits for a turn. */
interface Waiting {
  /** How many had been woken when it was, last. */
  seenIn: number
}

/** In the order of their coming. */
const queue = new Set<Waiting>()
/** Slices that have begun. */
let slices = 0
/** How often any who waits was woken. */
let wakes = 0

/** Lets the event loop turn: what has come in is looked at before this resolves. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

/** A request that was ended by force is never woken again: who waits with it goes by it after so many times of its own. */
const patience = 20

function isFirst(waiting: Waiting): boolean {
  for (const other of queue) {
    if (other === waiting) return true
    if (wakes - other.seenIn < patience * queue.size) return false
    queue.delete(other)
  }
  return true
}

/** Resolves when it is the caller's turn to do a slice of its work, which it does before it waits for anything else. */
export async function nextSlice(): Promise<void> {
  const waiting: Waiting = { seenIn: wakes }
  for (;;) {
    // Who was taken for gone, and was only slow, comes in again at the end.
    queue.add(waiting)
    const before = slices
    await turn()
    waiting.seenIn = ++wakes
    if (slices === before && isFirst(waiting)) break
  }
  queue.delete(waiting)
  slices++
}

/** Work whose amount is counted: `due` says each time that a slice of it is done. */
export class Slicer {
  readonly #slice: number
  #done = 0

  /** @param slice how much is done in a few milliseconds, in whatever unit */
  constructor(slice: number) {
    this.#slice = slice
  }

  /** Takes note of work that is done; whether the next turn is to be waited for. */
  due(amount: number): boolean {
    this.#done += amount
    if (this.#done < this.#slice) return false
    this.#done = 0
    return true
  }
}
