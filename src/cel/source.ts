/** The text of an expression, its positions, and the format of errors (cel-go's common.Errors). */
import { codePointLength, isPlain } from './text.ts'

/** The offset of an error in the expression as a whole. */
export const NOWHERE = -2

/** The offset of a node that is not in the text. */
export const BEFORE_TEXT = -1

/** An error with its offset in the text, or one of these two special offsets. */
export interface Issue {
  readonly offset: number
  readonly message: string
}

interface Location {
  readonly line: number
  readonly column: number
}

const NO_LOCATION: Location = { line: -1, column: -1 }
const NO_COLUMN: Location = { line: 1, column: -1 }

/** Lines longer than this are not shown. */
const MAX_SNIPPET_LENGTH = 16_384

const MAX_ISSUES = 100

/** The text of one expression. */
export class Source {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** Returns the line (from 1) and column (from 0, in code points) of an offset. */
  locate(offset: number): Location {
    if (offset < 0) return offset === NOWHERE ? NO_LOCATION : NO_COLUMN
    let line = 1
    let start = 0
    for (let at = this.text.indexOf('\n'); at >= 0 && at < offset; at = this.text.indexOf('\n', at + 1)) {
      line++
      start = at + 1
    }
    return { line, column: codePointLength(this.text.slice(start, offset)) }
  }

  #line(line: number): string | undefined {
    return this.text.split('\n')[line - 1]
  }

  /** Formats the issue with its line and a marker below it. */
  format(issue: Issue): string {
    const { line, column } = this.locate(issue.offset)
    // cel-go counts columns of an empty text from 0, and shows no snippet.
    if (this.text === '') return `ERROR: <input>:1:0: ${issue.message}`
    const head = `ERROR: <input>:${line}:${column + 1}: ${issue.message}`
    const snippet = this.#line(line)?.replaceAll('\t', ' ')
    if (snippet === undefined || new TextEncoder().encode(snippet).length > MAX_SNIPPET_LENGTH) return head
    return `${head}\n | ${snippet}\n | ${marker(snippet, column)}`
  }
}

/** Returns dots up to the column and a caret; both are wide if the character above is not ASCII. */
function marker(snippet: string, column: number): string {
  if (isPlain(snippet) && /^[\0-\x7f]*$/.test(snippet)) return `${'.'.repeat(Math.max(0, Math.min(column, snippet.length)))}^`
  const characters = [...snippet]
  const wide = (character: string | undefined): boolean => (character?.codePointAt(0) ?? 0) >= 0x80
  const dots = characters.slice(0, Math.max(0, column)).map((character) => (wide(character) ? '\uff0e' : '.'))
  return `${dots.join('')}${wide(characters[column]) ? '\uff3e' : '^'}`
}

/** The issues of one stage, sorted by offset. */
export class Issues {
  readonly #source: Source
  readonly #issues: Issue[] = []
  #count = 0

  constructor(source: Source) {
    this.#source = source
  }

  get count(): number {
    return this.#count
  }

  report(offset: number, message: string): void {
    if (++this.#count <= MAX_ISSUES) this.#issues.push({ offset, message })
  }

  /** Formats all issues as kube-apiserver shows them after `compilation failed: `. */
  format(): string {
    const sorted = this.#issues.toSorted((a, b) => a.offset - b.offset).map((issue) => this.#source.format(issue))
    if (this.#count > MAX_ISSUES) sorted.push(`${this.#count - MAX_ISSUES} more errors were truncated`)
    return sorted.join('\n')
  }
}
