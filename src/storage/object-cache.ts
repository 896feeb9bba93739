/**
 * A cache of recently read or written objects: most reads and writes concern few objects, and SQLite is not queried for these.
 */
import type { Stored } from './store.ts'

/** The memory that an entry takes besides its texts, in characters. */
const overheadCharacters = 300

const sizeOf = ({ key, value, labels }: Stored): number => key.length + value.length + labels.length + overheadCharacters

/** Live objects by key, least recently used first, up to a number of characters. */
export class ObjectCache {
  readonly #maximum: number
  readonly #objects = new Map<string, Stored>()
  #size = 0

  constructor(maximumCharacters: number) {
    this.#maximum = maximumCharacters
  }

  get(key: string): Stored | undefined {
    const found = this.#objects.get(key)
    if (found === undefined) return undefined
    this.#objects.delete(key)
    this.#objects.set(key, found)
    return found
  }

  /** Sets the live object of its key. */
  set(object: Stored): void {
    this.delete(object.key)
    const size = sizeOf(object)
    if (size > this.#maximum) return
    this.#objects.set(object.key, object)
    this.#size += size
    for (const key of this.#objects.keys()) {
      if (this.#size <= this.#maximum) return
      this.delete(key)
    }
  }

  /** Removes the entry of a key that was deleted or is no longer known. */
  delete(key: string): void {
    const cached = this.#objects.get(key)
    if (cached === undefined) return
    this.#objects.delete(key)
    this.#size -= sizeOf(cached)
  }

  /** Removes all entries, because the last writes may not have been stored. */
  clear(): void {
    this.#objects.clear()
    this.#size = 0
  }
}
