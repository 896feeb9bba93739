/** Go's text functions whose results appear in kube-apiserver's responses. */

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

/** The short escapes of `%q`. */
const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
])

const hex = (code: number, width: number): string => code.toString(16).padStart(width, '0')

function quotedCharacter(character: string): string {
  const short = SHORT_ESCAPES.get(character)
  if (short !== undefined) return short
  if (PRINTABLE.test(character)) return character
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd'
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`
}

/**
 * Quotes a text as `%q` does. Follows strconv.Quote. A lone surrogate becomes U+FFFD. Printable characters are those of this
 * runtime's Unicode version, which may include some that Go escapes.
 */
export function goQuote(text: string): string {
  return `"${text.replace(/[^ !#-[\]-~]/gu, quotedCharacter)}"`
}

const HTML_CHARACTERS = /[<>&\u2028\u2029]/

/** Escapes `<`, `>`, `&`, U+2028 and U+2029 in a JSON text, as Go's encoder does. */
export function escapeHtml(json: string): string {
  if (!HTML_CHARACTERS.test(json)) return json
  return json.replace(/[<>&\u2028\u2029]/g, escapedUnit)
}

const escapedUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Escapes all non-ASCII characters in a JSON text, for values of HTTP headers. */
export function asciiJson(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, escapedUnit)
}

/** The length from which on the runtime's own count is faster, in spite of the cost of the call. */
const longText = 1000

const NON_ASCII = /[^\0-\x7f]/

/** Returns the number of bytes of the text in UTF-8: Go's `len`, which length limits count. */
export const utf8Length = (text: string): number =>
  text.length < longText && !NON_ASCII.test(text) ? text.length : Buffer.byteLength(text)

/** Compares texts by their UTF-8 bytes, as Go's `<` and `sort.Strings` do: surrogates sort after other code units. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x === y) continue
    const xHigh = (x & 0xf800) === 0xd800
    const yHigh = (y & 0xf800) === 0xd800
    if (xHigh !== yHigh) return xHigh ? 1 : -1
    return x - y
  }
  return a.length - b.length
}

function isWhiteSpace(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d)
  if (code === 0x85 || code === 0xa0 || code === 0x1680) return true
  if (code >= 0x2000 && code <= 0x200a) return true
  return code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f || code === 0x3000
}

/** Removes white space at both ends. Follows strings.TrimSpace: U+0085 is white space, U+FEFF is not. */
export function trimSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isWhiteSpace(text.charCodeAt(start))) start++
  while (end > start && isWhiteSpace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

/** Removes a character at the end, as often as it is there. Follows strings.TrimRight. */
export function trimRight(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}

/** An unprintable character, formatted with `%#U` (`U+0007`), and its byte position in the text. */
export interface UnprintableCharacter {
  readonly formatted: string
  readonly at: number
}

/** Returns the first `limit` unprintable characters of the text. Follows unicode.IsPrint. */
export function unprintableCharacters(text: string, limit: number): UnprintableCharacter[] {
  const found: UnprintableCharacter[] = []
  let at = 0
  for (const character of text) {
    if (found.length >= limit) break
    const code = character.codePointAt(0) ?? 0
    const surrogate = code >= 0xd800 && code <= 0xdfff
    if (!surrogate && !PRINTABLE.test(character)) found.push({ formatted: `U+${hex(code, 4).toUpperCase()}`, at })
    at += utf8Length(character)
  }
  return found
}

const trueTexts: readonly string[] = ['1', 't', 'T', 'TRUE', 'true', 'True']

/** Whether strconv.ParseBool returns true. */
export const isGoTrue = (text: string): boolean => trueTexts.includes(text)

/** Returns the text that Go's `text[1:]` is: without its first byte. The rest of a longer character is U+FFFD. */
export function afterFirstByte(text: string): string {
  const first = text.codePointAt(0) ?? 0
  if (first < 0x80) return text.slice(1)
  return `\ufffd${text.slice(first > 0xffff ? 2 : 1)}`
}
