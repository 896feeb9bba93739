/** The text of a YAML stream with a current position. Characters are those of YAML 1.1, as accepted by go.yaml.in/yaml/v2. */
import { forbiddenCharacterError } from './forbidden-characters.ts'

/** The document is not valid YAML, or cannot be represented as JSON. The message is Go's. */
export class YamlSyntaxError extends Error {}

/** @param line counted from zero; Go omits line zero */
export function syntaxError(problem: string, line: number): YamlSyntaxError {
  return new YamlSyntaxError(line > 0 ? `yaml: line ${line}: ${problem}` : `yaml: ${problem}`)
}

/** The maximum depth of nested collections; upstream's is ten times larger. */
export const maximumDepth = 1000

/** Marks the end of the text; documents must not contain it. */
const end = '\0'
/** The end marks after a text: as many as the longest lookahead. */
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

/** The characters that end a plain scalar in a flow collection: `,?[]{}`. */
const flowIndicators: ReadonlySet<number> = new Set([0x2c, 0x3f, 0x5b, 0x5d, 0x7b, 0x7d])

const forbidden = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

/** A faster test, which nearly all texts pass. */
const plainAscii = /^[\t\n\r\x20-\x7e]*$/

/** The number of characters that Go's reader decodes at once. It reports a forbidden character when it decodes its block. */
const blockSize = 512

/** Returns the index of the first forbidden character; -1 if the text has none. */
const forbiddenIndex = (text: string): number => (plainAscii.test(text) ? -1 : text.search(forbidden))

export class Source {
  position = 0
  /** Counted from zero. */
  line = 0
  private lineStart = 0
  private readonly text: string
  private readonly forbiddenFrom: number
  private readonly forbiddenMessage: string

  constructor(text: string) {
    this.text = text.replace(/^\ufeff{1,2}/, '') + ends
    const at = forbiddenIndex(text)
    this.forbiddenFrom = at === -1 ? Number.POSITIVE_INFINITY : at - (at % blockSize)
    this.forbiddenMessage = at === -1 ? '' : forbiddenCharacterError(text.charCodeAt(at))
  }

  get column(): number {
    return this.position - this.lineStart
  }

  /** Returns the character at the position or up to three after it; 0 at the end. */
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

  /** Skips the characters of a plain scalar up to white space. */
  skipPlainWord(inFlow: boolean): void {
    const { text } = this
    let { position } = this
    for (let code = text.charCodeAt(position); !isSpaceOrEnd(code); code = text.charCodeAt(++position)) {
      if (code === 0x3a && isSpaceOrEnd(text.charCodeAt(position + 1))) break
      if (inFlow && flowIndicators.has(code)) break
    }
    this.position = position
  }

  /** Skips a comment if the position is at one. */
  skipComment(): void {
    if (this.code() === 0x23) this.skipLine()
  }

  /** Skips a line break and returns its form in a value; '' if the position is not at one. */
  readBreak(): string {
    const code = this.code()
    if (!isBreak(code)) return ''
    this.position += code === 0x0d && this.code(1) === 0x0a ? 2 : 1
    this.line++
    this.lineStart = this.position
    return code >= 0x2028 ? String.fromCharCode(code) : '\n'
  }

  /** Reads the match of a sticky pattern at the position. */
  read(pattern: RegExp): string {
    pattern.lastIndex = this.position
    const found = pattern.exec(this.text)?.[0] ?? ''
    this.position += found.length
    return found
  }

  slice(start: number, stop = this.position): string {
    return this.text.slice(start, stop)
  }

  /** Counts the end of the stream as a line. */
  endLine(): void {
    if (this.column === 0) return
    this.line++
    this.lineStart = this.position
  }

  /** Whether the position is at a `---` or `...` alone at the beginning of a line. */
  isAtDocumentIndicator(): boolean {
    const code = this.code()
    if ((code !== 0x2d && code !== 0x2e) || this.column !== 0) return false
    return this.code(1) === code && this.code(2) === code && isSpaceOrEnd(this.code(3))
  }

  /** Returns the error if Go's reader would have decoded a forbidden character by now. */
  forbiddenReached(): YamlSyntaxError | undefined {
    return this.position >= this.forbiddenFrom ? new YamlSyntaxError(`yaml: ${this.forbiddenMessage}`) : undefined
  }

  /** Returns an error at the current position. */
  error(problem: string): YamlSyntaxError {
    return syntaxError(problem, this.line === 0 ? 0 : this.line + 1)
  }
}
