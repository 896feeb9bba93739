/** Parses the header Range. Follows RFC 9110, section 14, in the reading of Go's net/http. */

/** A range of bytes, from `start` up to but without `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

const unit = 'bytes='

/** Parses a whole number; NaN if the text is not one. */
const numberOf = (text: string): number => (/^\+?\d+$/.test(text) ? Number(text) : Number.NaN)

/** @returns undefined if the range begins after the end of the content, 'invalid' if the text is not a range */
function rangeOf(text: string, size: number): ByteRange | 'invalid' | undefined {
  const dash = text.indexOf('-')
  if (dash < 0) return 'invalid'
  const [first, last] = [text.slice(0, dash).trim(), text.slice(dash + 1).trim()]
  if (first === '') {
    const length = numberOf(last)
    return Number.isNaN(length) ? 'invalid' : { start: Math.max(0, size - length), end: size }
  }
  const start = numberOf(first)
  if (Number.isNaN(start)) return 'invalid'
  if (start >= size) return undefined
  const end = last === '' ? size - 1 : numberOf(last)
  return Number.isNaN(end) || end < start ? 'invalid' : { start, end: Math.min(end, size - 1) + 1 }
}

/**
 * Parses the Range header for a content of `size` bytes.
 * @returns the satisfiable ranges, an empty list if the whole content is to be sent, or the error text of a 416
 */
export function readRanges(
  header: string,
  size: number,
): readonly ByteRange[] | 'invalid range' | 'invalid range: failed to overlap' {
  if (!header.startsWith(unit)) return 'invalid range'
  const texts = header.slice(unit.length).split(',')
  const present = texts.map((text) => text.trim()).filter((text) => text !== '')
  const read = present.map((text) => rangeOf(text, size))
  const ranges = read.filter((range) => typeof range === 'object')
  if (read.includes('invalid')) return 'invalid range'
  if (ranges.length === 0 && present.length > 0) return 'invalid range: failed to overlap'
  const sum = ranges.reduce((total, { start, end }) => total + end - start, 0)
  // Overlapping ranges would make a large response of a small content.
  return sum > size ? [] : ranges
}
