/** Objects that were read or written lately: most reads and writes are of a few, and then SQLite need not be asked. */
import type { Stored } from './store.ts'

/** What an object takes beside its texts. */
const overheadCharacters = 300

const sizeOf = ({ key, value, labels }: Stored): number => key.length + value.length + labels.length + overheadCharacters

/** Live objects by their keys, the least recently used first, within a bound of characters. */
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

  /** The object is the live one of its key from now on. */
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

  /** There is no live object of the key, or it is not known. */
  delete(key: string): void {
    const known = this.#objects.get(key)
    if (known === undefined) return
    this.#objects.delete(key)
    this.#size -= sizeOf(known)
  }

  /** Forgets all: what was written may not have been stored. */
  clear(): void {
    this.#objects.clear()
    this.#size = 0
  }
}
