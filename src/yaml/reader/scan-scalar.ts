/** Scans the texts of plain, quoted and block scalars, with the errors of go.yaml.in/yaml/v2. */
import { isBlank, isBreak, isBreakOrEnd, isEnd, isSpaceOrEnd, type Source } from './source.ts'

/** A scalar's text, and whether a line break follows it. */
export interface ScannedScalar {
  readonly text: string
  readonly endsLine: boolean
}

/**
 * Folds the line breaks between two words: a single one becomes a space; of several, all but the first are kept. Unicode's line
 * separators are always kept.
 */
function folded(breaks: string): string {
  if (!breaks.startsWith('\n')) return breaks
  return breaks.length === 1 ? ' ' : breaks.slice(1)
}

/** @param indent the minimum column of the scalar's further lines */
export function scanPlain(source: Source, indent: number, inFlow: boolean): ScannedScalar {
  let text = ''
  let joint = ''
  let breaks = ''
  while (!source.isAtDocumentIndicator() && source.code() !== 0x23) {
    const start = source.position
    source.skipPlainWord(inFlow)
    if (source.position > start) {
      text += joint + source.slice(start)
      breaks = ''
    }
    if (!isBlank(source.code()) && !isBreak(source.code())) break
    const blanks = source.position
    source.skipBlanks()
    joint = source.slice(blanks)
    for (let found = source.readBreak(); found !== ''; found = source.readBreak()) {
      breaks += found
      for (; isBlank(source.code()); source.skip()) {
        if (source.code() === 0x09 && source.column < indent)
          throw source.error('found a tab character that violates indentation')
      }
    }
    if (breaks !== '') joint = folded(breaks)
    if (!inFlow && source.column < indent) break
  }
  return { text, endsLine: breaks !== '' }
}

/** The escape characters after a backslash, with their values. */
const escapes: ReadonlyMap<string, string> = new Map([
  ['0', '\0'],
  ['a', '\x07'],
  ['b', '\b'],
  ['t', '\t'],
  ['\t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\x1b'],
  [' ', ' '],
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
  ['N', '\x85'],
  ['_', '\xa0'],
  ['L', '\u2028'],
  ['P', '\u2029'],
])

/** The number of hexadecimal digits after these escape characters. */
const codeLengths: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
])

function readEscape(source: Source): string {
  const letter = source.slice(source.position + 1, source.position + 2)
  const length = codeLengths.get(letter)
  const plain = escapes.get(letter)
  if (length === undefined && plain === undefined) throw source.error('found unknown escape character')
  source.skip(2)
  if (length === undefined) return plain ?? ''
  const digits = source.slice(source.position, source.position + length)
  if (!/^[0-9a-fA-F]+$/.test(digits)) throw source.error('did not find expected hexdecimal number')
  const code = Number.parseInt(digits, 16)
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) throw source.error('found invalid Unicode character escape code')
  source.skip(length)
  return String.fromCodePoint(code)
}

/**
 * Reads a word of a quoted scalar up to white space or the closing quote. `continued` tells that an escaped line break ended it.
 */
function readQuotedWord(source: Source, quote: number): { word: string; continued: boolean } {
  let word = ''
  let start = source.position
  const flush = (): void => {
    word += source.slice(start)
  }
  for (let code = source.code(); !isSpaceOrEnd(code); code = source.code()) {
    if (code === quote) {
      if (quote !== 0x27 || source.code(1) !== 0x27) break
      source.skip()
      flush()
      source.skip()
      start = source.position
    } else if (code === 0x5c && quote === 0x22) {
      flush()
      if (isBreak(source.code(1))) {
        source.skip()
        source.readBreak()
        return { word, continued: true }
      }
      word += readEscape(source)
      start = source.position
    } else source.skip()
  }
  flush()
  return { word, continued: false }
}

/** Reads the white space between two words of a quoted scalar and returns it as it is in the value. */
function readQuotedSpace(source: Source, continued: boolean): string {
  const start = source.position
  source.skipBlanks()
  const blanks = continued ? '' : source.slice(start)
  let breaks = ''
  for (let found = source.readBreak(); found !== ''; found = source.readBreak()) {
    breaks += found
    source.skipBlanks()
  }
  if (breaks === '') return blanks
  return continued ? breaks : folded(breaks)
}

/** Matches the rest of a quoted scalar on one line without escapes, the most frequent form. */
const simpleRests: ReadonlyMap<number, RegExp> = new Map([
  [0x22, /[^"\\\n\r\x85\u2028\u2029\0]*"/y],
  [0x27, /[^'\n\r\x85\u2028\u2029\0]*'(?!')/y],
])

export function scanQuoted(source: Source): ScannedScalar {
  const quote = source.code()
  source.skip()
  const rest = source.read(simpleRests.get(quote) ?? /(?:)/y)
  if (rest !== '') return { text: rest.slice(0, -1), endsLine: false }
  let text = ''
  for (;;) {
    if (source.isAtDocumentIndicator()) throw source.error('found unexpected document indicator')
    if (isEnd(source.code())) {
      throw source.error('found unexpected end of stream')
    }
    const { word, continued } = readQuotedWord(source, quote)
    text += word
    if (source.code() === quote) break
    text += readQuotedSpace(source, continued)
  }
  source.skip()
  return { text, endsLine: false }
}

interface BlockHeader {
  readonly chomping: '+' | '-' | ''
  /** 0 if the indentation of the first line decides. */
  readonly increment: number
}

function readBlockHeader(source: Source): BlockHeader {
  source.skip()
  const header = source.read(/[+-][0-9]?|[0-9][+-]?/y)
  if (header.includes('0')) throw source.error('found an indentation indicator equal to 0')
  source.skipBlanks()
  source.skipComment()
  if (!isBreakOrEnd(source.code())) throw source.error('did not find expected comment or line break')
  source.readBreak()
  const chomping = header.includes('+') ? '+' : header.includes('-') ? '-' : ''
  return { chomping, increment: Number(/[0-9]/.exec(header)?.[0] ?? 0) }
}

/** Skips indentation and empty lines. @returns the line breaks, and the widest indentation, which counts if `indent` is 0 */
function readBlockBreaks(source: Source, indent: number): { breaks: string; widest: number } {
  let breaks = ''
  let widest = 0
  for (;;) {
    const isIndentation = (): boolean => indent === 0 || source.column < indent
    while (isIndentation() && source.code() === 0x20) source.skip()
    widest = Math.max(widest, source.column)
    if (isIndentation() && source.code() === 0x09) {
      throw source.error('found a tab character where an indentation space is expected')
    }
    const found = source.readBreak()
    if (found === '') return { breaks, widest }
    breaks += found
  }
}

/** @param outer the column of the enclosing collection; -1 at the top level */
export function scanBlock(source: Source, outer: number): ScannedScalar {
  const folds = source.code() === 0x3e
  const { chomping, increment } = readBlockHeader(source)
  const first = readBlockBreaks(source, increment === 0 ? 0 : Math.max(outer, 0) + increment)
  const indent = increment === 0 ? Math.max(first.widest, outer + 1, 1) : Math.max(outer, 0) + increment
  let { breaks } = first
  let text = ''
  let lineBreak = ''
  let wasIndented = false
  while (source.column === indent && !isEnd(source.code())) {
    const isIndented = isBlank(source.code())
    if (folds && !wasIndented && !isIndented && lineBreak === '\n') text += breaks === '' ? ' ' : breaks
    else text += lineBreak + breaks
    wasIndented = isIndented
    const start = source.position
    source.skipLine()
    text += source.slice(start)
    lineBreak = source.readBreak()
    breaks = readBlockBreaks(source, indent).breaks
  }
  if (chomping !== '-') text += lineBreak
  return { text: chomping === '+' ? text + breaks : text, endsLine: false }
}
