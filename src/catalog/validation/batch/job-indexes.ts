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

/** @throws Error with upstream's text where they are not in order, or not below `completions` */
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

/** What is wrong with the text; undefined where it is good. */
export function indexesError(text: string, completions: number): string | undefined {
  if (text === '') return undefined
  try {
    checkIndexes(text, completions)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}

/** The rows that can be read, each for itself. */
function readable(text: string, completions: number): Interval[] {
  return text.split(',').flatMap((part) => {
    try {
      return [readInterval(part, completions)]
    } catch {
      return []
    }
  })
}

/** The first index that stands in both; undefined where none does. */
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
