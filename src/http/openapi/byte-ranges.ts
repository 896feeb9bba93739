/** The header Range. Follows RFC 9110, section 14, as net/http of Go reads it. */

/** Bytes of a content: from `start` to before `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

const unit = 'bytes='

/** A whole number, or NaN. */
const numberOf = (text: string): number => (/^\+?\d+$/.test(text) ? Number(text) : Number.NaN)

/** @returns undefined for a range behind the end, 'invalid' for what is none */
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
 * Reads the ranges of a content of `size` bytes.
 * @returns the ranges that are in it, none where the whole is to be given; a text that tells why there is nothing to give
 */
export function readRanges(
  header: string,
  size: number,
): readonly ByteRange[] | 'invalid range' | 'invalid range: failed to overlap' {
  if (!header.startsWith(unit)) return 'invalid range'
  const texts = header.slice(unit.length).split(',')
  const asked = texts.map((text) => text.trim()).filter((text) => text !== '')
  const read = asked.map((text) => rangeOf(text, size))
  const ranges = read.filter((range) => typeof range === 'object')
  if (read.includes('invalid')) return 'invalid range'
  if (ranges.length === 0 && asked.length > 0) return 'invalid range: failed to overlap'
  const sum = ranges.reduce((total, { start, end }) => total + end - start, 0)
  // Ranges that overlap would make of a small content a large answer.
  return sum > size ? [] : ranges
}
