/**
 * Writes texts and numbers as YAML scalars: their style, and folding of long lines. Follows go.yaml.in/yaml/v2, which
 * sigs.k8s.io/yaml writes with. Texts may have a megabyte, so they are scanned by regular expressions and not character by
 * character.
 */

import { utf8Length } from '../go/text.ts'
import { impliedType } from './reader/resolve.ts'

/** The styles of a text. */
type ScalarStyle = 'plain' | 'single' | 'double' | 'literal'

const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/
/** Whether the text without quotes would be read as another value. */
function readsOtherwise(text: string): boolean {
  return impliedType(text) !== 'str' || base60.test(text)
}

const lineBreak = /[\r\n\u0085\u2028\u2029]/
const unprintable = /[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/
const spaceBeforeBreak = / [\r\n\u0085\u2028\u2029]/
const spaceBesideBreak = / [\u2028\u2029]|[\u2028\u2029] /
const atTheEdge = /^[ \r\n\u0085\u2028\u2029]|[ \r\n\u0085\u2028\u2029]$/

/** Characters with a meaning in YAML's block context, the only context of this writer. */
const indicators = [/^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`])/, /^[-?](?:[ \t]|$)/, /:(?:[ \t]|$)/, /[ \t\r\n\u0085\u2028\u2029]#/]

/** Matches most texts: they need no further checks, except words such as `true`. */
const ordinary = /^[A-Za-z_/][-A-Za-z0-9_./=+]*$/

/** Returns the style of a text. `isKey` tells that it is a simple key, on the line of its value. */
function scalarStyle(text: string, isKey: boolean): ScalarStyle {
  if (ordinary.test(text)) return impliedType(text) === 'str' ? 'plain' : 'double'
  const isSpecial = unprintable.test(text)
  if (text.includes('\n')) {
    return isKey || isSpecial || text.endsWith(' ') || spaceBeforeBreak.test(text) ? 'double' : 'literal'
  }
  if (readsOtherwise(text) || isSpecial) return 'double'
  const hasBreak = lineBreak.test(text)
  if (!(hasBreak || atTheEdge.test(text) || indicators.some((each) => each.test(text)))) return 'plain'
  return hasBreak && (isKey || spaceBesideBreak.test(text)) ? 'double' : 'single'
}

/** Whether the key can be a simple key, on the line of its value: it is short and has no line breaks. */
export function isSimpleKey(text: string): boolean {
  return (text.length <= 42 || utf8Length(text) <= 128) && !lineBreak.test(text)
}

const bestWidth = 80

const namedEscapes = new Map([
  ['\0', '\\0'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['\x1b', '\\e'],
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\u0085', '\\N'],
  ['\u2028', '\\L'],
  ['\u2029', '\\P'],
])

function escaped(character: string): string {
  const named = namedEscapes.get(character)
  if (named !== undefined) return named
  const code = character.codePointAt(0) ?? 0
  const hex = code.toString(16).toUpperCase()
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

/** Characters that JSON escapes differently from YAML, or not at all. */
const notAsInJson = /[^\b\t\n\f\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/
const toBeEscaped = /["\\\u2028\u2029]|[^\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/gu

/** Escapes a text for double quotes. */
const doubleQuoted = (text: string): string =>
  notAsInJson.test(text) ? text.replace(toBeEscaped, escaped) : JSON.stringify(text).slice(1, -1)

/** The position of a text: the column at which it begins, and the indentation of its further lines. */
export interface TextPosition {
  readonly column: number
  readonly indent: number
  /** Whether long lines are folded; those of keys are not. */
  readonly folds: boolean
}

const space = 0x20

/**
 * Whether a line in plain or quoted style may be folded at the space at `at`. A quoted text must not begin or end with a fold.
 */
function foldsAt(text: string, at: number, style: 'plain' | 'single' | 'double'): boolean {
  if (text.charCodeAt(at - 1) === space) return false
  const next = text.charCodeAt(at + 1)
  if (style === 'plain') return next !== space
  return at > 0 && !Number.isNaN(next) && (style === 'double' || next !== space)
}

/** Folds an escaped text without its quotes at spaces after column 80. `column` is that of its first character. */
function folded(text: string, style: 'plain' | 'single' | 'double', column: number, indent: number): string {
  if (column + text.length <= bestWidth + 1) return text
  const margin = ' '.repeat(indent)
  let out = ''
  let begin = 0
  for (let at = text.indexOf(' ', Math.max(0, bestWidth + 1 - column)); at >= 0; ) {
    if (!foldsAt(text, at, style)) {
      at = text.indexOf(' ', at + 1)
      continue
    }
    const isBeforeSpace = text.charCodeAt(at + 1) === space
    out += `${text.slice(begin, at)}\n${margin}${isBeforeSpace ? '\\' : ''}`
    begin = at + 1
    at = text.indexOf(' ', begin + Math.max(0, bestWidth + 1 - indent - (isBeforeSpace ? 1 : 0)))
  }
  return out + text.slice(begin)
}

/** Writes a text with line breaks in single quotes: each line is folded separately, and all but the first are indented. */
function singleLines(text: string, place: TextPosition): string {
  const margin = ' '.repeat(place.indent)
  let out = "'"
  let column = place.column + 1
  const characters = [...text.replaceAll("'", "''")]
  const content = characters.join('')
  characters.forEach((character, at) => {
    const isBreak = lineBreak.test(character)
    if (at > 0 && lineBreak.test(characters[at - 1] ?? '') && !isBreak) {
      out += margin
      column += margin.length
    }
    if (character === ' ' && place.folds && column > bestWidth && foldsAt(content, at, 'single')) {
      out += `\n${margin}`
      column = margin.length
      return
    }
    out += character
    column = isBreak ? 0 : column + character.length
  })
  return `${out}'`
}

/** Matches line breaks of a literal block that are followed by a line with content. */
const filledLine = /[\n\u2028\u2029](?=[^\n\u2028\u2029])/g

/** Writes a text of several lines as a literal block with indented lines. */
function literal(text: string, indent: number): string {
  const [first = '', last = ''] = [text.charAt(0), text.charAt(text.length - 1)]
  const endsBroken = lineBreak.test(last)
  const chomp = !endsBroken ? '-' : text.length === 1 || lineBreak.test(text.charAt(text.length - 2)) ? '+' : ''
  const hint = first === ' ' || lineBreak.test(first) ? '2' : ''
  const margin = ' '.repeat(indent)
  const lines = text.replace(filledLine, `$&${margin}`)
  const out = `|${hint}${chomp}\n${lineBreak.test(first) ? '' : margin}${lines}`
  return endsBroken ? out.slice(0, -1) : out
}

/** Writes a text at a position, in the style that fits it. */
export function textScalar(text: string, place: TextPosition): string {
  const style = scalarStyle(text, !place.folds)
  if (style === 'literal') return literal(text, place.indent)
  if (style === 'plain') return place.folds ? folded(text, style, place.column, place.indent) : text
  if (style === 'single' && lineBreak.test(text)) return singleLines(text, place)
  const [quote, content] = style === 'single' ? ["'", text.replaceAll("'", "''")] : ['"', doubleQuoted(text)]
  return `${quote}${place.folds ? folded(content, style, place.column + 1, place.indent) : content}${quote}`
}

const fits64Bits = (integer: bigint): boolean => integer >= -(2n ** 63n) && integer < 2n ** 64n

/** Digits that are written unchanged. */
const shortInteger = /^-?(?:0|[1-9][0-9]{0,14})$/

/** Writes a number as Go's YAML encoder writes numbers from JSON: integers of 64 bits unchanged, others in the shortest form. */
export function numberScalar(digits: string): string {
  if (shortInteger.test(digits) && digits !== '-0') return digits
  if (/^-?[0-9]{1,20}$/.test(digits) && fits64Bits(BigInt(digits))) return BigInt(digits).toString()
  const number = Number(digits)
  const [mantissa = '', exponentText = ''] = number.toExponential().split('e')
  const exponent = Number(exponentText)
  if (!Number.isFinite(number)) return digits
  if (exponent >= -4 && exponent < 6) return String(number)
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}
