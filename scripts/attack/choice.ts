/** Choices that the seed of a run and the index of a request repeat, whatever was asked before. */
import { randomFrom } from '../generated/random.ts'

/** Items with how often each is taken, relative to the others. */
export type Weighted<T> = readonly (readonly [weight: number, item: T])[]

/** What chance decides about one request. */
export class Choice {
  readonly #random: () => number

  constructor(seed: number, index: number) {
    // Neighbouring indexes are to differ from the first number on.
    this.#random = randomFrom(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b))
    this.#random()
  }

  /** A whole number from 0 to `bound` - 1. */
  below(bound: number): number {
    return Math.floor(this.#random() * bound)
  }

  /** True with this probability, from 0 to 1. */
  happens(probability: number): boolean {
    return this.#random() < probability
  }

  /** One of the items, of which there has to be one. */
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
