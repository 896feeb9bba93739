/** Parses the indexes of an Indexed Job in the format of its status: `1,3-5`. */
import { goQuote } from '../../../go/text.ts'

/** The first and the last index of an interval. */
type Interval = readonly [first: number, last: number]

function readIndex(text: string, completions: number): number {
  if (!/^[+-]?\d{1,18}$/.test(text)) throw new Error(`cannot convert string to integer for index: ${goQuote(text)}`)
  const index = Number(text)
  if (index >= completions) throw new Error(`too large index: ${goQuote(text)}`)
  return index
}

function readInterval(text: string, completions: number): Interval {
  const limits = text.split('-')
  if (limits.length > 2) {
    throw new Error(
      `the fragment ${goQuote(text)} violates the requirement that an index interval can have at most two parts separated by '-'`,
    )
  }
  const [from = '', to] = limits
  const first = readIndex(from, completions)
  if (to === undefined) return [first, first]
  const last = readIndex(to, completions)
  if (first >= last) throw new Error(`non-increasing order, previous: ${first}, current: ${last}`)
  return [first, last]
}

/**
 * Checks that the indexes increase.
 * @throws Error with upstream's text if they do not increase, or if one is not below `completions`
 */
function checkIndexes(text: string, completions: number): void {
  let previous: number | undefined
  for (const part of text.split(',')) {
    const interval = readInterval(part, completions)
    if (previous !== undefined && previous >= interval[0]) {
      throw new Error(`non-increasing order, previous: ${previous}, current: ${interval[0]}`)
    }
    previous = interval[1]
  }
}

/** Returns the error message for a list of indexes, or undefined if it is valid. */
export function indexesError(text: string, completions: number): string | undefined {
  if (text === '') return undefined
  try {
    checkIndexes(text, completions)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}

/** Parses each interval independently and skips the invalid ones. */
function readable(text: string, completions: number): Interval[] {
  return text.split(',').flatMap((part) => {
    try {
      return [readInterval(part, completions)]
    } catch {
      return []
    }
  })
}

/** Returns the first index that both lists contain, or undefined if they have no index in common. */
export function commonIndex(left: string, right: string, completions: number): number | undefined {
  const [ofLeft, ofRight] = [readable(left, completions), readable(right, completions)]
  for (let [i, j] = [0, 0]; ; ) {
    const [a, b] = [ofLeft[i], ofRight[j]]
    if (a === undefined || b === undefined) return undefined
    if (a[0] <= b[1] && b[0] <= a[1]) return Math.max(a[0], b[0])
    if (a[0] <= b[0]) i++
    else j++
  }
}
