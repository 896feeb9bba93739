/** Random names, uids and numbers of new objects. */
import { generateName } from '../meta/names.ts'
import type { Sources } from '../meta/sources.ts'
import { newUid } from '../meta/uid.ts'

/** Generates uids, names and numbers. */
export interface NameGenerator {
  /** @param key of the new object */
  readonly uid: (key?: string) => string
  /** Returns a name that begins with a `generateName`. */
  readonly name: (base: string) => string
  /** Returns a whole number from 0 to below `limit`. */
  readonly number: (limit: number) => number
}

/** Returns the generator of new values on each call. */
export const namesFrom = ({ random, uid }: Pick<Sources, 'random' | 'uid'>): NameGenerator => ({
  uid: (key = '') => uid(key),
  name: (base) => generateName(base, () => random(base)),
  number: (limit) => Math.floor(random(String(limit)) * limit),
})

/** The generator of random values. */
export const randomNames = namesFrom({ random: () => Math.random(), uid: newUid })

/** All generated uids, names and numbers in order, by the key of their list. */
export type DrawnNames = Readonly<Record<string, readonly string[]>>

/** The key of the list of uids. Names have the key `name ` followed by their base, numbers `number ` and their limit. */
const uids = 'uid'

/**
 * A generator that returns the same uids, names and numbers, in the order of each list, when a write is retried: lookups may
 * depend on them.
 */
export class ReplayableNameGenerator implements NameGenerator {
  readonly #drawn: Map<string, string[]>
  readonly #used = new Map<string, number>()
  readonly #source: NameGenerator

  /** @param drawn the names of earlier attempts */
  constructor(drawn: DrawnNames = {}, source = randomNames) {
    this.#source = source
    this.#drawn = new Map(Object.entries(drawn).map(([key, names]) => [key, [...names]]))
  }

  /** Restarts with the first names, for a retry of the write. */
  rewind(): void {
    this.#used.clear()
  }

  /** All generated names, for a retry in another request. */
  get drawn(): DrawnNames {
    return Object.fromEntries(this.#drawn)
  }

  uid(key = ''): string {
    return this.#draw(uids, () => this.#source.uid(key))
  }

  name(base: string): string {
    return this.#draw(`name ${base}`, () => this.#source.name(base))
  }

  number(limit: number): number {
    return Number(this.#draw(`number ${limit}`, () => String(this.#source.number(limit))))
  }

  #draw(key: string, random: () => string): string {
    const index = this.#used.get(key) ?? 0
    this.#used.set(key, index + 1)
    const names = this.#drawn.get(key) ?? []
    const drawn = names[index] ?? random()
    names[index] = drawn
    this.#drawn.set(key, names)
    return drawn
  }
}
