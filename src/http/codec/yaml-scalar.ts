/**
 * How a text or a number stands in YAML: which style, where lines are folded. Follows go.yaml.in/yaml/v2, which
 * sigs.k8s.io/yaml writes with.
 */

import { impliedType } from './yaml-reader/resolve.ts'

/** The ways to write a text. */
export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal'

/** What decides about the style of a text. */
interface Analysis {
  readonly plain: boolean
  readonly single: boolean
  readonly block: boolean
}

const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/
/** Whether the bare text would be read as something else than this text. */
function readsOtherwise(text: string): boolean {
  return impliedType(text) !== 'str' || base60.test(text)
}

const isBreak = (character: string | undefined): boolean => character !== undefined && /[\r\n\u0085\u2028\u2029]/.test(character)
const isPrintable = (character: string): boolean => /^[\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]$/.test(character)

/** What means something in YAML's block context, in which everything here is written. */
const indicators = [/^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`])/, /^[-?](?:[ \t]|$)/, /:(?:[ \t]|$)/, /[ \t\r\n\u0085\u2028\u2029]#/]

function analyze(text: string): Analysis {
  if (text === '') return { plain: true, single: true, block: false }
  const characters = [...text]
  const last = characters.at(-1)
  const special = characters.some((character) => !isPrintable(character))
  const spaceBeforeBreak = / [\r\n\u0085\u2028\u2029]/.test(text)
  const spaceBehindBreak = /[\r\n\u0085\u2028\u2029] /.test(text)
  const edges = [characters[0], last].some((character) => character === ' ' || isBreak(character))
  return {
    plain: !(characters.some(isBreak) || special || edges || indicators.some((pattern) => pattern.test(text))),
    single: !(special || spaceBeforeBreak || spaceBehindBreak),
    block: !(special || spaceBeforeBreak || last === ' '),
  }
}

/** The style of a text. `key` is a key on the line of its value. */
export function scalarStyle(text: string, key: boolean): ScalarStyle {
  const { plain, single, block } = analyze(text)
  if (text.includes('\n')) return block && !key ? 'literal' : 'double'
  if (readsOtherwise(text)) return 'double'
  if (plain) return 'plain'
  return single && !(key && [...text].some(isBreak)) ? 'single' : 'double'
}

/** Whether a key may stand on the line of its value: it is short and has no line breaks. */
export function isSimpleKey(text: string): boolean {
  return new TextEncoder().encode(text).length <= 128 && ![...text].some(isBreak)
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

/** Where a text stands: the column behind what is written already, and the indentation of its further lines. */
export interface Place {
  readonly column: number
  readonly indent: number
  /** A key is never folded. */
  readonly folds: boolean
}

const marks = {
  plain: { quote: '', write: (character: string): string => character },
  single: { quote: "'", write: (character: string): string => (character === "'" ? "''" : character) },
  double: {
    quote: '"',
    write: (character: string): string =>
      isPrintable(character) && !/["\\\n\u2028\u2029]/.test(character) ? character : escaped(character),
  },
} as const

/** The styles of a text that is not a block. */
export type FlowStyle = Exclude<ScalarStyle, 'literal'>

/** Whether the line may end at the space at `i`: a quoted text neither begins nor ends with a fold. */
function foldsAt(characters: readonly string[], i: number, style: FlowStyle): boolean {
  const [before, next] = [characters[i - 1], characters[i + 1]]
  if (before === ' ') return false
  if (style === 'plain') return next !== ' '
  return i > 0 && next !== undefined && (style === 'double' || next !== ' ')
}

/** A text in one of the flow styles, folded at spaces behind column 80. */
export function flowScalar(text: string, style: FlowStyle, place: Place): string {
  const { quote, write } = marks[style]
  const characters = [...text]
  const margin = ' '.repeat(place.indent)
  let out = quote
  let column = place.column + quote.length
  const put = (shown: string): void => {
    out += shown
    column += shown.length
  }
  characters.forEach((character, i) => {
    if (style === 'single' && isBreak(characters[i - 1]) && !isBreak(character)) put(margin)
    if (character === ' ' && place.folds && column > bestWidth && foldsAt(characters, i, style)) {
      out += `\n${margin}`
      column = margin.length
      if (style === 'double' && characters[i + 1] === ' ') put('\\')
      return
    }
    put(write(character))
    if (style === 'single' && isBreak(character)) column = 0
  })
  return out + quote
}

/** A text of several lines as a literal block, with the indentation of its lines. */
export function literalScalar(text: string, indent: number): string {
  const characters = [...text]
  const [last, beforeLast] = [characters.at(-1), characters.at(-2)]
  const chomp = !isBreak(last) ? '-' : characters.length === 1 || isBreak(beforeLast) ? '+' : ''
  const hint = characters[0] === ' ' || isBreak(characters[0]) ? '2' : ''
  let out = `|${hint}${chomp}\n`
  let atStart = true
  for (const character of characters) {
    if (atStart && !isBreak(character)) out += ' '.repeat(indent)
    out += character
    atStart = isBreak(character)
  }
  return isBreak(last) ? out.slice(0, -1) : out
}

const fits64Bits = (integer: bigint): boolean => integer >= -(2n ** 63n) && integer < 2n ** 64n

/** A number as Go's YAML writes what it read from JSON: integers of 64 bits as they are, others in the shortest form. */
export function numberScalar(digits: string): string {
  if (/^-?[0-9]{1,20}$/.test(digits) && fits64Bits(BigInt(digits))) return BigInt(digits).toString()
  const number = Number(digits)
  const [mantissa = '', exponentText = ''] = number.toExponential().split('e')
  const exponent = Number(exponentText)
  if (!Number.isFinite(number)) return digits
  if (exponent >= -4 && exponent < 6) return String(number)
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}
