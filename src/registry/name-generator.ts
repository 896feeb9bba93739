/** Random names and uids of new objects. */
import { generateName } from '../meta/names.ts'
import { newUid } from '../meta/uid.ts'

/** Draws uids and generated names. */
export interface NameGenerator {
  readonly uid: () => string
  /** A name of a `generateName`. */
  readonly name: (base: string) => string
}

/** Draws others each time. */
export const randomNames: NameGenerator = { uid: newUid, name: (base) => generateName(base, Math.random) }

/** All that was drawn, in order, by the list that it is kept under. */
export type DrawnNames = Readonly<Record<string, readonly string[]>>

/** The list under which uids are kept; names are kept under `name ` and their base. */
const uids = 'uid'

/**
 * Draws the same ones again, uids and the names of each base in their order, each time that a write runs again: lookups may have
 * depended on them.
 */
export class ReplayableNameGenerator implements NameGenerator {
  readonly #drawn: Map<string, string[]>
  readonly #used = new Map<string, number>()

  /** @param drawn by the attempts before */
  constructor(drawn: DrawnNames = {}) {
    this.#drawn = new Map(Object.entries(drawn).map(([key, names]) => [key, [...names]]))
  }

  /** Begins from the first ones: the write runs again. */
  rewind(): void {
    this.#used.clear()
  }

  /** All that was drawn, for an attempt elsewhere. */
  get drawn(): DrawnNames {
    return Object.fromEntries(this.#drawn)
  }

  uid(): string {
    return this.#draw(uids, newUid)
  }

  name(base: string): string {
    return this.#draw(`name ${base}`, () => randomNames.name(base))
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
