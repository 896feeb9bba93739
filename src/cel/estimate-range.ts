/** Ranges of costs and sizes, from least to greatest. Overflow saturates at 64 bits, which stands for unknown. */

/** The largest value of 64 bits. */
export const UNBOUNDED = 2 ** 64

export interface Range {
  readonly min: number
  readonly max: number
}

export const UNKNOWN: Range = { min: 0, max: UNBOUNDED }

const capped = (value: number): number => Math.min(value, UNBOUNDED)

/** Returns the range of one number. */
export function exactly(value: number): Range {
  return { min: value, max: value }
}

export const NOTHING = exactly(0)
export const ONE = exactly(1)

export function plus(...ranges: readonly Range[]): Range {
  let [min, max] = [0, 0]
  for (const range of ranges) {
    min = capped(min + range.min)
    max = capped(max + range.max)
  }
  return { min, max }
}

export function times(a: Range, b: Range): Range {
  return { min: capped(a.min * b.min), max: capped(a.max * b.max) }
}

/** Multiplies by a factor, rounded up. */
export function scaled({ min, max }: Range, factor: number): Range {
  return { min: capped(Math.ceil(min * factor)), max: capped(Math.ceil(max * factor)) }
}

/** Returns the smallest range that contains both. */
export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) }
}
