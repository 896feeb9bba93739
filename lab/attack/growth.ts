/** Detects growth of a server's memory and descriptors. */
import type { Taken } from '../processes.ts'

/** The number of first measurements to ignore, while caches fill. */
const warmUp = 4

/** The tolerated growth: bytes, and descriptors. */
const tolerance: Taken = { memory: 64 * 2 ** 20, descriptors: 64 }

const medianOf = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/**
 * Compares the last third of the measurements with the middle one.
 * @returns sentences about growth
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
