/** Random numbers that are reproducible by a seed. */

/** Returns a generator of numbers in [0, 1), the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Returns `count` random items, in their original order. */
export function sampleOf<T>(items: readonly T[], count: number, random: () => number): T[] {
  if (count === 0 || items.length <= count) return [...items]
  const chosen = new Set<number>()
  while (chosen.size < count) chosen.add(Math.floor(random() * items.length))
  return items.filter((_item, index) => chosen.has(index))
}
