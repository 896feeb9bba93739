/** The indexes of an indexed Job in the form in which its status lists them: `1,3-5`. */

/** The first and the last of a row of indexes. */
type Interval = readonly [first: number, last: number]

function readIndex(text: string, completions: number): number {
  if (!/^[+-]?\d{1,18}$/.test(text)) throw new Error(`cannot convert string to integer for index: "${text}"`)
  const index = Number(text)
  if (index >= completions) throw new Error(`too large index: "${text}"`)
  return index
}

function readInterval(text: string, completions: number): Interval {
  const limits = text.split('-')
  if (limits.length > 2) {
    throw new Error(
      `the fragment "${text}" violates the requirement that an index interval can have at most two parts separated by '-'`,
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
 * Reads indexes.
 * @throws Error with upstream's text where they are not in order, or not below `completions`
 */
export function parseIndexes(text: string, completions: number): readonly Interval[] {
  const intervals: Interval[] = []
  if (text === '') return intervals
  for (const part of text.split(',')) {
    const interval = readInterval(part, completions)
    const previous = intervals.at(-1)?.[1]
    if (previous !== undefined && previous >= interval[0]) {
      throw new Error(`non-increasing order, previous: ${previous}, current: ${interval[0]}`)
    }
    intervals.push(interval)
  }
  return intervals
}

/** What is wrong with the text; undefined where it is good. */
export function indexesError(text: string, completions: number): string | undefined {
  try {
    parseIndexes(text, completions)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}
