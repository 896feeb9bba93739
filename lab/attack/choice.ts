/** Random choices that depend only on the seed of a run and the index of a request. */
import { randomFrom } from '../generated/random.ts'

/** Items with their relative weights. */
export type Weighted<T> = readonly (readonly [weight: number, item: T])[]

/** The random choices for one request. */
export class Choice {
  readonly #random: () => number

  constructor(seed: number, index: number) {
    // Neighbouring indexes must differ from the first number on.
    this.#random = randomFrom(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b))
    this.#random()
  }

  /** Returns an integer from 0 to `bound` - 1. */
  below(bound: number): number {
    return Math.floor(this.#random() * bound)
  }

  /** Returns true with this probability, from 0 to 1. */
  happens(probability: number): boolean {
    return this.#random() < probability
  }

  /** Returns one of the items; the list must not be empty. */
  one<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }

  weighted<T>(items: Weighted<T>): T {
    let left = this.#random() * items.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, item] of items) {
      left -= weight
      if (left < 0) return item
    }
    return this.one(items)[1]
  }
}
