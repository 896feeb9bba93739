/**
 * The function `format`: `'%s has %d'.format([…])`. Version 2 of cel-go's strings library, with the number format of the English
 * locale.
 */

/** One clause of a format. */
export interface Clause {
  readonly kind: ClauseKind
  readonly precision: number | undefined
}

export type ClauseKind = 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o'

/** An error in a format or argument. */
export class FormatProblem {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

/** Formats an argument, or returns the error. */
type Write = (clause: Clause, index: number) => string | FormatProblem

const MAX_PRECISION = 1_000

const isClause = (text: string): text is ClauseKind => text.length === 1 && 'sdfebxXo'.includes(text)

interface Read {
  readonly clause: Clause
  readonly end: number
}

const unparsable = (message: string): FormatProblem => new FormatProblem(`could not parse formatting clause: ${message}`)

/** Reads the clause whose `%` is before `at`. */
function readClause(format: string, at: number): Read | FormatProblem {
  const [, digits] = /^\.(\d*)/.exec(format.slice(at, at + 32)) ?? []
  const end = digits === undefined ? at : at + 1 + digits.length
  if (end >= format.length) return unparsable('error while parsing precision: could not find end of precision specifier')
  if (digits === '' || Number(digits ?? 0) > MAX_PRECISION) {
    const why = digits === '' ? 'invalid syntax' : 'value out of range'
    const message = `strconv.Atoi: parsing "${digits}": ${why}`
    return unparsable(`error while parsing precision: error while converting precision to integer: ${message}`)
  }
  const kind = format.charAt(end)
  if (isClause(kind)) return { clause: { kind, precision: digits === undefined ? undefined : Number(digits) }, end: end + 1 }
  const [byte = 0] = new TextEncoder().encode(String.fromCodePoint(format.codePointAt(end) ?? 0))
  return unparsable(`unrecognized formatting clause "${String.fromCharCode(byte)}"`)
}

/** The result of a format: the text, and the number of arguments used. */
export interface Formatted {
  readonly text: string
  readonly used: number
}

/** Runs a format with `count` arguments; `write` formats them. */
export function runFormat(format: string, count: number, write: Write): Formatted | FormatProblem {
  let text = ''
  let used = 0
  let from = 0
  for (let at = format.indexOf('%'); at >= 0; at = format.indexOf('%', from)) {
    text += format.slice(from, at)
    from = at + 2
    if (format.charAt(at + 1) === '%') {
      text += '%'
      continue
    }
    if (at + 1 >= format.length) return new FormatProblem('unexpected end of string')
    if (used >= count) return new FormatProblem(`index ${used} out of range`)
    const read = readClause(format, at + 1)
    if (read instanceof FormatProblem) return read
    const written = write(read.clause, used++)
    if (written instanceof FormatProblem) return new FormatProblem(`error during formatting: ${written.message}`)
    text += written
    from = read.end
  }
  return { text: text + format.slice(from), used }
}

const STRINGS = 'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps'

const WRONG: Readonly<Record<ClauseKind, string>> = {
  s: `string clause can only be used on ${STRINGS}`,
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
  X: 'only integers, byte buffers, and strings can be formatted as hex',
  o: 'octal clause can only be used on integers',
}

/** Returns the error for an argument type that a clause does not accept. */
export function wrongType(kind: ClauseKind, typeName: string): FormatProblem {
  return new FormatProblem(`${WRONG[kind]}, was given ${typeName}`)
}
