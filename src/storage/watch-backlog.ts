/**
 * The bytes that the clients of watches have not read yet. They are bounded for each watch, and in sum for all Durable Objects of
 * the isolate: beyond that sum the slowest watches are closed, and their clients watch again from the version they have.
 */
import { type HeldMemory, type MemoryBudget, memoryBudget } from '../meta/memory-budget.ts'
import type { Timer, Timers } from './timers.ts'
import type { Watcher } from './watcher.ts'

/** Bytes are measured again after so many were sent for each watcher, and after so many in all. */
const bytesPerWatcher = 512
const leastBytes = 256 * 1024
/** Milliseconds after which bytes are measured again, because clients have read some. */
const measureInterval = 1_000

/** The backlogs of all hubs of the isolate, as they were last measured. */
const backlogs = new Set<HeldMemory>()

/** Returns the bytes of all hubs, and the number of hubs that have some. */
function sum(): { readonly bytes: number; readonly hubs: number } {
  let [bytes, hubs] = [0, 0]
  for (const backlog of backlogs) {
    if (backlog.isGone) backlogs.delete(backlog)
    else if (backlog.bytes > 0) {
      bytes += backlog.bytes
      hubs++
    }
  }
  return { bytes, hubs }
}

/** The parts of the hub that the backlog needs. */
export interface BacklogHost {
  readonly timers: Timers
  /** The number of watchers. */
  readonly size: number
  /** Returns the watchers in groups of those that get the same chunks: the longest queue of a group contains the others. */
  backlogGroups(): Iterable<Iterable<Watcher>>
}

/** The backlog of one hub. */
export class WatchBacklog {
  readonly #host: BacklogHost
  readonly #maximum: number
  readonly #held: HeldMemory
  /** The bytes that were sent since the last measurement, to all watchers. */
  #sent = 0
  #isDue = false
  #timer: Timer | undefined

  /** @param maximum the bytes of all hubs of the isolate together */
  constructor(host: BacklogHost, maximum: number, budget: MemoryBudget = memoryBudget) {
    this.#host = host
    this.#maximum = maximum
    this.#held = budget.holder(this)
    backlogs.add(this.#held)
  }

  /** Counts bytes that were sent to a watcher. */
  sent(bytes: number): void {
    this.#sent += bytes
    if (this.#isDue || this.#sent <= Math.max(leastBytes, this.#host.size * bytesPerWatcher)) return
    this.#isDue = true
    // Not in the middle of a delivery, whose watcher it may close.
    queueMicrotask(() => this.#measure())
  }

  /** Called when a watcher has ended. */
  ended(): void {
    if (this.#host.size > 0) return
    this.#held.set(0)
    this.#timer?.cancel()
  }

  #measure(): void {
    this.#isDue = false
    this.#sent = 0
    const own = bytesOf(this.#host.backlogGroups())
    this.#held.set(own)
    const { bytes, hubs } = sum()
    if (bytes > this.#maximum) this.#held.set(closeSlowest(this.#host.backlogGroups(), own, this.#maximum / hubs))
    this.#timer?.cancel()
    if (this.#held.bytes > 0) this.#timer = this.#host.timers.after(measureInterval, () => this.#measure())
  }
}

/** Returns the bytes in the queues of all groups. */
function bytesOf(groups: Iterable<Iterable<Watcher>>): number {
  let bytes = 0
  for (const group of groups) {
    let longest = 0
    for (const watcher of group) longest = Math.max(longest, watcher.queued)
    bytes += longest
  }
  return bytes
}

/** A watcher, its unread bytes, and those of them that no other watcher of its group has. */
interface Slow {
  readonly watcher: Watcher
  readonly queued: number
  readonly own: number
}

/**
 * Closes the watchers with the longest queues until the others have at most `maximum` bytes.
 * @param bytes in the queues of all groups
 * @returns the bytes of the others
 */
function closeSlowest(groups: Iterable<Iterable<Watcher>>, bytes: number, maximum: number): number {
  const slowest: Slow[] = []
  for (const group of groups) {
    const ordered = [...group].map((watcher) => ({ watcher, queued: watcher.queued })).sort((a, b) => b.queued - a.queued)
    for (const [index, each] of ordered.entries()) slowest.push({ ...each, own: each.queued - (ordered[index + 1]?.queued ?? 0) })
  }
  slowest.sort((a, b) => b.queued - a.queued)
  let left = bytes
  for (const { watcher, own } of slowest) {
    if (left <= maximum) break
    left -= own
    watcher.fail('the watches of this server have too many unread events')
  }
  return left
}
