/** The lexer: splits an expression into tokens (CEL's lexical rules; the longest token wins). */

/** The kind of a token. A punctuation mark or keyword is its own kind. */
export type TokenKind =
  | 'IDENTIFIER'
  | 'ESC_IDENTIFIER'
  | 'NUM_FLOAT'
  | 'NUM_INT'
  | 'NUM_UINT'
  | 'STRING'
  | 'BYTES'
  | '<EOF>'
  | Punctuation
  | 'in'
  | 'true'
  | 'false'
  | 'null'

type Punctuation =
  | '=='
  | '!='
  | '<'
  | '<='
  | '>='
  | '>'
  | '&&'
  | '||'
  | '['
  | ']'
  | '{'
  | '}'
  | '('
  | ')'
  | '.'
  | ','
  | '-'
  | '!'
  | '?'
  | ':'
  | '+'
  | '*'
  | '/'
  | '%'

export interface Token {
  readonly kind: TokenKind
  readonly start: number
  readonly end: number
}

/** A text that is not a token. */
export interface Unlexable {
  readonly start: number
  readonly end: number
  readonly message: string
}

export interface Lexed {
  readonly tokens: readonly Token[]
  readonly errors: readonly Unlexable[]
}

const KEYWORDS: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null'])

const isKeyword = (text: string): text is 'in' | 'true' | 'false' | 'null' => KEYWORDS.has(text)

const SPACE = /(?:[\t \r\n\f]+|\/\/[^\n]*)+/y
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y
const NUMBER = /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)|(0x[0-9a-fA-F]+|\d+)([uU])?/y
const MARK = /==|!=|<=|>=|&&|\|\||[[\]{}().,\-!?:+*/%<>]/y
const ESCAPED_WORD = /`[A-Za-z0-9_./ -]+`/y
const STRING_START = /[bB]?[rR]?(?:"""|'''|"|')/y

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const ESCAPE = /\\(?:[abfnrtv"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/y

/** The end of a string literal, or the position of its error. */
interface StringEnd {
  readonly at: number
  readonly closed: boolean
}

/** Returns the position at which an invalid escape sequence fails. */
function badEscapeAt(text: string, at: number): number {
  const kind = text[at + 1] ?? ''
  const digits = { x: 2, X: 2, u: 4, U: 8 }[kind]
  const expected = digits === undefined ? /[0-7]/ : /[0-9a-fA-F]/
  if (digits === undefined && !/[0-3]/.test(kind)) return at + 1
  let end = at + 2
  while (end < text.length && end < at + 2 + (digits ?? 2) && expected.test(text.charAt(end))) end++
  return end
}

function endOfString(text: string, from: number, quote: string, raw: boolean): StringEnd {
  const triple = quote.length === 3
  for (let at = from; at < text.length; at++) {
    const c = text.charCodeAt(at)
    if (c === quote.charCodeAt(0) && text.startsWith(quote, at)) return { at: at + quote.length, closed: true }
    if (!triple && (c === 0x0a || c === 0x0d)) return { at, closed: false }
    if (c !== 0x5c || raw) continue
    const escaped = matchAt(ESCAPE, text, at)
    if (escaped === null) return { at: badEscapeAt(text, at), closed: false }
    at += escaped[0].length - 1
  }
  return { at: text.length, closed: false }
}

/** Returns the error that ANTLR reports for text that is not a token. */
function unlexable(text: string, start: number, failed: number): Unlexable {
  const characters =
    text.slice(start, failed) + String.fromCodePoint(...(failed < text.length ? [text.codePointAt(failed) ?? 0] : []))
  return { start, end: start + characters.length, message: `token recognition error at: '${characters}'` }
}

/** Returns the end of text that is not a token: the character at which no token can match any more. */
function failureAt(text: string, start: number): number {
  const c = text[start]
  if (c === '&' || c === '|' || c === '=') return start + 1
  if (c !== '`') return start
  let end = start + 1
  while (/[A-Za-z0-9_./ -]/.test(text.charAt(end))) end++
  return end
}

/** Returns the string token at `at`, or the end of its text if it is not closed. */
function lexString(text: string, at: number): Token | number | undefined {
  const start = matchAt(STRING_START, text, at)
  if (start === null) return undefined
  const prefix = start[0].replace(/["']/g, '').toLowerCase()
  const quote = start[0].slice(prefix.length)
  const kind = prefix.startsWith('b') ? 'BYTES' : 'STRING'
  const end = endOfString(text, at + start[0].length, quote, prefix.includes('r'))
  if (end.closed) return { kind, start: at, end: end.at }
  if (quote.length === 3) return { kind, start: at, end: at + prefix.length + 2 }
  return prefix === '' ? end.at : undefined
}

function lexNumber(text: string, at: number): Token | undefined {
  const number = matchAt(NUMBER, text, at)
  if (number === null) return undefined
  const kind = number[1] === undefined ? 'NUM_FLOAT' : number[2] === undefined ? 'NUM_INT' : 'NUM_UINT'
  return { kind, start: at, end: at + number[0].length }
}

function lexWord(text: string, at: number): Token | undefined {
  const word = matchAt(WORD, text, at)?.[0]
  if (word !== undefined) return { kind: isKeyword(word) ? word : 'IDENTIFIER', start: at, end: at + word.length }
  const escaped = matchAt(ESCAPED_WORD, text, at)?.[0]
  return escaped === undefined ? undefined : { kind: 'ESC_IDENTIFIER', start: at, end: at + escaped.length }
}

/** Returns all tokens of the text, the last one `<EOF>`, and the texts that are not tokens. */
export function lex(text: string): Lexed {
  const tokens: Token[] = []
  const errors: Unlexable[] = []
  let at = 0
  while (at < text.length) {
    const space = matchAt(SPACE, text, at)
    if (space !== null) {
      at += space[0].length
      continue
    }
    const string = lexString(text, at)
    const token =
      typeof string === 'number' ? undefined : (string ?? lexNumber(text, at) ?? lexWord(text, at) ?? lexMark(text, at))
    if (token !== undefined) {
      tokens.push(token)
      at = token.end
      continue
    }
    const failed = typeof string === 'number' ? string : failureAt(text, at)
    errors.push(unlexable(text, at, failed))
    at = failed + ((text.codePointAt(failed) ?? 0) > 0xffff ? 2 : 1)
  }
  tokens.push({ kind: '<EOF>', start: text.length, end: text.length })
  return { tokens, errors }
}

function lexMark(text: string, at: number): Token | undefined {
  const mark = matchAt(MARK, text, at)?.[0]
  return mark === undefined ? undefined : { kind: mark as Punctuation, start: at, end: at + mark.length }
}
