/**
 * How a text or a number stands in YAML: which style, where lines are folded. Follows go.yaml.in/yaml/v2, which
 * sigs.k8s.io/yaml writes with. Texts may have a megabyte: each is gone over by expressions, not by its characters.
 */

import { utf8Length } from '../go/text.ts'
import { impliedType } from './reader/resolve.ts'

/** The ways to write a text. */
type ScalarStyle = 'plain' | 'single' | 'double' | 'literal'

const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/
/** Whether the bare text would be read as something else than this text. */
function readsOtherwise(text: string): boolean {
  return impliedType(text) !== 'str' || base60.test(text)
}

const lineBreak = /[\r\n\u0085\u2028\u2029]/
const unprintable = /[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/
const spaceBeforeBreak = / [\r\n\u0085\u2028\u2029]/
const spaceBesideBreak = / [\u2028\u2029]|[\u2028\u2029] /
const atTheEdge = /^[ \r\n\u0085\u2028\u2029]|[ \r\n\u0085\u2028\u2029]$/

/** What means something in YAML's block context, in which everything here is written. */
const indicators = [/^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`])/, /^[-?](?:[ \t]|$)/, /:(?:[ \t]|$)/, /[ \t\r\n\u0085\u2028\u2029]#/]

/** Texts that need no second look, but for the words that are no texts: most that there are. */
const ordinary = /^[A-Za-z_/][-A-Za-z0-9_./=+]*$/

/** The style of a text. `isKey`: it is a key on the line of its value. */
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

/** Whether a key may stand on the line of its value: it is short and has no line breaks. */
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

/** What JSON escapes otherwise than YAML, or not at all. */
const notAsInJson = /[^\b\t\n\f\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/
const toBeEscaped = /["\\\u2028\u2029]|[^\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/gu

/** The text as it stands in double quotes. */
const doubleQuoted = (text: string): string =>
  notAsInJson.test(text) ? text.replace(toBeEscaped, escaped) : JSON.stringify(text).slice(1, -1)

/** Where a text stands: the column behind what is written already, and the indentation of its further lines. */
export interface Place {
  readonly column: number
  readonly indent: number
  /** A key is never folded. */
  readonly folds: boolean
}

const space = 0x20

/** Whether a line of a flow style may end at the space at `at`: a quoted text neither begins nor ends with a fold. */
function foldsAt(text: string, at: number, style: 'plain' | 'single' | 'double'): boolean {
  if (text.charCodeAt(at - 1) === space) return false
  const next = text.charCodeAt(at + 1)
  if (style === 'plain') return next !== space
  return at > 0 && !Number.isNaN(next) && (style === 'double' || next !== space)
}

/** A text that is escaped already, without its quotes, folded at spaces behind column 80. `column`: where its first character stands. */
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

/** A text in single quotes in which there are line breaks: each of its lines is folded for itself, and indented but for the first. */
function singleLines(text: string, place: Place): string {
  const margin = ' '.repeat(place.indent)
  let out = "'"
  let column = place.column + 1
  const characters = [...text.replaceAll("'", "''")]
  const shown = characters.join('')
  characters.forEach((character, at) => {
    const isBreak = lineBreak.test(character)
    if (at > 0 && lineBreak.test(characters[at - 1] ?? '') && !isBreak) {
      out += margin
      column += margin.length
    }
    if (character === ' ' && place.folds && column > bestWidth && foldsAt(shown, at, 'single')) {
      out += `\n${margin}`
      column = margin.length
      return
    }
    out += character
    column = isBreak ? 0 : column + character.length
  })
  return `${out}'`
}

/** Breaks of a line that a literal block may have, with something behind them on the next. */
const filledLine = /[\n\u2028\u2029](?=[^\n\u2028\u2029])/g

/** A text of several lines as a literal block, with the indentation of its lines. */
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

/** A text where it stands, in the style that is its own. */
export function textScalar(text: string, place: Place): string {
  const style = scalarStyle(text, !place.folds)
  if (style === 'literal') return literal(text, place.indent)
  if (style === 'plain') return place.folds ? folded(text, style, place.column, place.indent) : text
  if (style === 'single' && lineBreak.test(text)) return singleLines(text, place)
  const [mark, shown] = style === 'single' ? ["'", text.replaceAll("'", "''")] : ['"', doubleQuoted(text)]
  return `${mark}${place.folds ? folded(shown, style, place.column + 1, place.indent) : shown}${mark}`
}

const fits64Bits = (integer: bigint): boolean => integer >= -(2n ** 63n) && integer < 2n ** 64n

/** Digits that are written as they stand. */
const shortInteger = /^-?(?:0|[1-9][0-9]{0,14})$/

/** A number as Go's YAML writes what it read from JSON: integers of 64 bits as they are, others in the shortest form. */
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
