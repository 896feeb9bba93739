/**
 * The natural order of YAML keys, as go.yaml.in/yaml/v2 sorts them: `a2` before `a10`, and letters after all other characters.
 */

const isLetter = (character: string): boolean => /\p{L}/u.test(character)
const isDigit = (character: string | undefined): boolean => character !== undefined && /\p{Nd}/u.test(character)

/** Reads the digits at `from` as a number. @returns the number, and the index after its digits */
function readNumber(characters: readonly string[], from: number, start: number): { value: number; end: number } {
  let value = start
  let end = from
  for (; isDigit(characters[end]); end++) value = value * 10 + ((characters[end]?.codePointAt(0) ?? 0) - 48)
  return { value, end }
}

/** Whether a digit other than zero precedes. Zeros after it count, leading zeros do not. */
function followsNonZeroDigit(characters: readonly string[], at: number): boolean {
  for (let i = at - 1; i >= 0 && isDigit(characters[i]); i--) if (characters[i] !== '0') return true
  return false
}

function compareAt(a: readonly string[], b: readonly string[], i: number): number {
  const [x = '', y = ''] = [a[i], b[i]]
  const difference = (x.codePointAt(0) ?? 0) - (y.codePointAt(0) ?? 0)
  if (isLetter(x) && isLetter(y)) return difference
  if (isLetter(x)) return 1
  if (isLetter(y)) return -1
  const start = (x === '0' || y === '0') && followsNonZeroDigit(a, i) ? 1 : 0
  const [left, right] = [readNumber(a, i, start), readNumber(b, i, start)]
  return left.value - right.value || left.end - right.end || difference
}

const isAsciiLetter = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)
const isAsciiDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/** Returns the first index at which the texts differ, or the length of the shorter one. */
function firstDifference(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  let at = 0
  while (at < length && left.charCodeAt(at) === right.charCodeAt(at)) at++
  return at
}

/** Compares as compareAt does, but only if all characters up to the end of the digits are ASCII; otherwise returns undefined. */
function compareAscii(a: string, b: string, at: number): number | undefined {
  const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)]
  if (x >= 0x80 || y >= 0x80) return undefined
  if (isAsciiLetter(x) || isAsciiLetter(y)) {
    return isAsciiLetter(x) === isAsciiLetter(y) ? x - y : isAsciiLetter(x) ? 1 : -1
  }
  let start = 0
  for (let i = at - 1; (x === 0x30 || y === 0x30) && i >= 0; i--) {
    const code = a.charCodeAt(i)
    if (code >= 0x80) return undefined
    if (!isAsciiDigit(code)) break
    if (code !== 0x30) start = 1
  }
  let [left, right] = [start, start]
  let [leftEnd, rightEnd] = [at, at]
  while (isAsciiDigit(a.charCodeAt(leftEnd))) left = left * 10 + a.charCodeAt(leftEnd++) - 0x30
  while (isAsciiDigit(b.charCodeAt(rightEnd))) right = right * 10 + b.charCodeAt(rightEnd++) - 0x30
  if (a.charCodeAt(leftEnd) >= 0x80 || b.charCodeAt(rightEnd) >= 0x80) return undefined
  return left - right || leftEnd - rightEnd || x - y
}

/** Compares two keys for sorting: negative if `left` comes first. */
export function compareKeys(left: string, right: string): number {
  const at = firstDifference(left, right)
  if (at === left.length || at === right.length) return left.length - right.length
  const asciiResult = compareAscii(left, right, at)
  if (asciiResult !== undefined) return asciiResult
  const [a, b] = [[...left], [...right]]
  const i = a.findIndex((character, index) => character !== b[index])
  return i < 0 || i >= b.length ? a.length - b.length : compareAt(a, b, i)
}
