/** Whether a server takes more and more. */
import type { Taken } from './server-process.ts'

/** Up to so many looks at the server tell nothing: caches fill. */
const warmUp = 4

/** What is no growth: in bytes, and in descriptors. */
const tolerance: Taken = { memory: 64 * 2 ** 20, descriptors: 64 }

const medianOf = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/**
 * Compares the last third of the looks with the middle one.
 * @returns what has grown, in sentences
 */
export function growthOf(taken: readonly Taken[]): string[] {
  if (taken.length < warmUp * 2) return []
  const third = Math.floor(taken.length / 3)
  const [middle, last] = [taken.slice(third, third * 2), taken.slice(-third)]
  return (['memory', 'descriptors'] as const).flatMap((name) => {
    const [before, after] = [middle, last].map((looks) => medianOf(looks.map((look) => look[name]))) as [number, number]
    return after > before * 1.2 + tolerance[name] ? [`${name} has grown from ${before} to ${after}`] : []
  })
}
