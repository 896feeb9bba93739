/** Bytes in JSON: base64 with the strictness and the error texts of Go's base64.StdEncoding. */

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** The values of digits by character code; 64 for other characters. */
const VALUES = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = DIGITS.indexOf(String.fromCharCode(code))
  return value === -1 ? 64 : value
})

const NEWLINE = /[\r\n]/
const EQUALS = 0x3d

const valueAt = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  return code < 128 ? (VALUES[code] ?? 64) : 64
}

const isNewline = (text: string, at: number): boolean => NEWLINE.test(text[at] ?? '')

function corrupt(at: number): never {
  throw new Error(`illegal base64 data at input byte ${at}`)
}

function skipNewlines(text: string, start: number): number {
  let at = start
  while (at < text.length && isNewline(text, at)) at++
  return at
}

/** Checks the padding after `count` digits of a group, the last of which is before `at`. */
function checkPadding(text: string, at: number, count: number): void {
  if (count < 2) corrupt(at)
  let next = at + 1
  if (count === 2) {
    next = skipNewlines(text, next)
    if (next === text.length) corrupt(text.length)
    if (text.charCodeAt(next) !== EQUALS) corrupt(next - 1)
    next++
  }
  next = skipNewlines(text, next)
  if (next < text.length) corrupt(next)
}

/** Returns the canonical form: without newlines, and with the unused bits of the last digit zero. */
function normalized(text: string, count: number, lastDigit: number): string {
  const digits = text.replaceAll(/[\r\n]/g, '')
  if (count === 0) return digits
  const last = DIGITS[lastDigit & (count === 2 ? 0x30 : 0x3c)] ?? ''
  return digits.slice(0, -(5 - count)) + last + '='.repeat(4 - count)
}

/**
 * Returns base64 as Go writes it after decoding: newlines are accepted and dropped.
 * @throws Error with the message of Go's CorruptInputError
 */
export function canonicalBase64(text: string): string {
  let count = 0
  let lastDigit = 0
  let newlines = 0
  for (let at = 0; at < text.length; at++) {
    const value = valueAt(text, at)
    if (value < 64) {
      lastDigit = value
      count = (count + 1) & 3
    } else if (text.charCodeAt(at) === EQUALS) {
      checkPadding(text, at, count)
      return normalized(text, count, lastDigit)
    } else if (isNewline(text, at)) newlines++
    else corrupt(at)
  }
  if (count !== 0) corrupt(text.length - count)
  return newlines === 0 ? text : normalized(text, 0, 0)
}

/** Encodes bytes as base64. */
export function encodeBase64(bytes: readonly number[]): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}
