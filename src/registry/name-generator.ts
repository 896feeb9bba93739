/** What is given to new objects at random. */
import { generateName } from '../meta/names.ts'
import { newUid } from '../meta/uid.ts'

/** Gives uids and generated names. */
export interface NameGenerator {
  readonly uid: () => string
  /** A name of a `generateName`. */
  readonly name: (base: string) => string
}

/** New ones each time. */
export const randomNames: NameGenerator = { uid: newUid, name: (base) => generateName(base, Math.random) }

/** The same ones, in their order, each time that the work they are for begins again: a webhook has been asked about them. */
export class ReplayableNameGenerator implements NameGenerator {
  readonly #given: string[] = []
  #next = 0

  /** The work begins again. */
  rewind(): void {
    this.#next = 0
  }

  uid(): string {
    return this.#give(newUid)
  }

  name(base: string): string {
    return this.#give(() => randomNames.name(base))
  }

  #give(make: () => string): string {
    const given = this.#given[this.#next] ?? make()
    this.#given[this.#next++] = given
    return given
  }
}
