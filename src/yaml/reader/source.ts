/** The text of a YAML stream and the place that is read. Characters are those of YAML 1.1, as go.yaml.in/yaml/v2 takes them. */
import { mistakeOf } from './mistakes.ts'

/** A document that is no YAML, or that has no form in JSON; the message is Go's. */
export class YamlSyntaxError extends Error {}

/** @param line counted from zero, which Go does not tell */
export function syntaxError(problem: string, line: number): YamlSyntaxError {
  return new YamlSyntaxError(line > 0 ? `yaml: line ${line}: ${problem}` : `yaml: ${problem}`)
}

/** How deep collections may nest in one another; upstream's bound is ten times that. */
export const maximumDepth = 1000

/** Stands behind the end of the text; no document may contain it. */
const end = '\0'
/** As many as are looked at ahead of the place. */
const ends = end.repeat(4)

export const isEnd = (code: number): boolean => code === 0
export const isBlank = (code: number): boolean => code === 0x20 || code === 0x09

export function isBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x85 || code === 0x2028 || code === 0x2029
}

export const isBreakOrEnd = (code: number): boolean => code === 0 || isBreak(code)

/** Whether a word ends before this character. */
export const isSpaceOrEnd = (code: number): boolean =>
  code <= 0x20 ? code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d || code === 0 : code >= 0x85 && isBreak(code)

/** Characters that end a plain scalar in a flow collection: `,?[]{}`. */
const flowIndicators: ReadonlySet<number> = new Set([0x2c, 0x3f, 0x5b, 0x5d, 0x7b, 0x7d])

const forbidden = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

/** Quicker to try, and true of nearly all. */
const plainAscii = /^[\t\n\r\x20-\x7e]*$/

/** Go reads this many characters at once: what stands wrong before them is told first. */
const blockSize = 512

/** Where the first character stands that no stream may have; -1 for nowhere. */
const forbiddenPlace = (text: string): number => (plainAscii.test(text) ? -1 : text.search(forbidden))

export class Source {
  position = 0
  /** Counted from zero. */
  line = 0
  private lineStart = 0
  private readonly text: string
  private readonly refusedFrom: number
  private readonly refusedFor: string

  constructor(text: string) {
    this.text = text.replace(/^\ufeff{1,2}/, '') + ends
    const at = forbiddenPlace(text)
    this.refusedFrom = at === -1 ? Number.POSITIVE_INFINITY : at - (at % blockSize)
    this.refusedFor = at === -1 ? '' : mistakeOf(text.charCodeAt(at))
  }

  get column(): number {
    return this.position - this.lineStart
  }

  /** The character at the place or up to three behind it; 0 at the end. */
  code(offset = 0): number {
    return this.text.charCodeAt(this.position + offset)
  }

  skip(count = 1): void {
    this.position += count
  }

  skipBlanks(): void {
    const { text } = this
    let { position } = this
    while (isBlank(text.charCodeAt(position))) position++
    this.position = position
  }

  skipSpaces(): void {
    const { text } = this
    let { position } = this
    while (text.charCodeAt(position) === 0x20) position++
    this.position = position
  }

  /** Skips the rest of a line. */
  skipLine(): void {
    const { text } = this
    let { position } = this
    while (!isBreakOrEnd(text.charCodeAt(position))) position++
    this.position = position
  }

  /** Skips what may stand in a plain scalar up to white space. */
  skipPlainWord(inFlow: boolean): void {
    const { text } = this
    let { position } = this
    for (let code = text.charCodeAt(position); !isSpaceOrEnd(code); code = text.charCodeAt(++position)) {
      if (code === 0x3a && isSpaceOrEnd(text.charCodeAt(position + 1))) break
      if (inFlow && flowIndicators.has(code)) break
    }
    this.position = position
  }

  /** Skips a comment, if the place is at one. */
  skipComment(): void {
    if (this.code() === 0x23) this.skipLine()
  }

  /** Skips a line break and gives what it is in a value; '' where there is none. */
  readBreak(): string {
    const code = this.code()
    if (!isBreak(code)) return ''
    this.position += code === 0x0d && this.code(1) === 0x0a ? 2 : 1
    this.line++
    this.lineStart = this.position
    return code >= 0x2028 ? String.fromCharCode(code) : '\n'
  }

  /** Reads what the pattern, a sticky one, finds at the place. */
  read(pattern: RegExp): string {
    pattern.lastIndex = this.position
    const found = pattern.exec(this.text)?.[0] ?? ''
    this.position += found.length
    return found
  }

  slice(start: number, stop = this.position): string {
    return this.text.slice(start, stop)
  }

  /** The end of the stream counts as a line of its own. */
  endLine(): void {
    if (this.column === 0) return
    this.line++
    this.lineStart = this.position
  }

  /** Whether `---` or `...` stands here alone at the beginning of a line. */
  isAtDocumentIndicator(): boolean {
    const code = this.code()
    if ((code !== 0x2d && code !== 0x2e) || this.column !== 0) return false
    return this.code(1) === code && this.code(2) === code && isSpaceOrEnd(this.code(3))
  }

  /** Whether Go's reader would have come upon a character that is not allowed. */
  forbiddenMet(): YamlSyntaxError | undefined {
    return this.position >= this.refusedFrom ? new YamlSyntaxError(`yaml: ${this.refusedFor}`) : undefined
  }

  /** What is wrong at the place. */
  error(problem: string): YamlSyntaxError {
    return syntaxError(problem, this.line === 0 ? 0 : this.line + 1)
  }
}
