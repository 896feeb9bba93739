/** The bytes that clients of bridged watches have not read yet, in sum: they are bounded for an isolate. */
import { type HeldMemory, type MemoryBudget, memoryBudget } from '../../meta/memory-budget.ts'

/** The budget learns of changes in steps of so many bytes. */
const step = 256 * 1024

/** The unread bytes of all bridged watches of an isolate. */
export class BridgeBacklog {
  readonly #maximum: number
  readonly #held: HeldMemory
  #bytes = 0

  /** @param maximum the bytes beyond which slow watches leave their events to the log */
  constructor(maximum: number, budget: MemoryBudget = memoryBudget) {
    this.#maximum = maximum
    this.#held = budget.holder(this)
  }

  /** The unread bytes. */
  get bytes(): number {
    return this.#bytes
  }

  get isFull(): boolean {
    return this.#bytes >= this.#maximum
  }

  /** Counts bytes that were passed on, or a negative number of bytes that were read. */
  add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes === 0 || Math.abs(this.#bytes - this.#held.bytes) >= step) this.#held.set(this.#bytes)
  }
}

/** The backlog of this isolate. Its bound is the same as that of streams. */
export const bridgeBacklog = new BridgeBacklog(32 * 1024 * 1024)
