/**
 * Scans a YAML stream into tokens. Only a later colon tells that a node is a key, so tokens are queued until that is decided.
 * Follows YAML 1.1, and go.yaml.in/yaml/v2 for the position of errors.
 */
import { scanDirective, scanName, scanTag } from './scan-property.ts'
import { type ScannedScalar, scanBlock, scanPlain, scanQuoted } from './scan-scalar.ts'
import { isEnd, isSpaceOrEnd, maximumDepth, Source } from './source.ts'
import { type PossibleKey, type Token, type TokenType, token } from './token.ts'

/** The maximum distance between the beginning of a simple key and its colon. */
const maximumKeyLength = 1024
/** The number of consumed tokens that stay in the queue, because emptying it is more expensive. */
const keptTokens = 256

/** An open flow collection, or the block context around all. */
interface Level {
  /** The simple key that the collection itself may be. */
  readonly opener: PossibleKey | undefined
  /** The last node in it that is or was a possible simple key. */
  key: PossibleKey | undefined
}

/** Faster than splice for the few queued tokens. */
function insertToken(tokens: Token[], at: number, inserted: Token): void {
  tokens.push(inserted)
  for (let to = tokens.length - 1; to > at; to--) tokens[to] = tokens[to - 1] ?? inserted
  tokens[at] = inserted
}

export class Scanner {
  /** Scan functions by indicator. Any other character begins a plain scalar. */
  private static readonly byIndicator: ReadonlyMap<number, (scanner: Scanner) => void> = new Map(
    Object.entries<(scanner: Scanner) => void>({
      '[': (scanner) => scanner.openFlow('flow-sequence-start'),
      '{': (scanner) => scanner.openFlow('flow-mapping-start'),
      ']': (scanner) => scanner.closeFlow('flow-sequence-end'),
      '}': (scanner) => scanner.closeFlow('flow-mapping-end'),
      ',': (scanner) => scanner.fetchFlowEntry(),
      '-': (scanner) => (isSpaceOrEnd(scanner.source.code(1)) ? scanner.fetchBlockEntry() : scanner.fetchPlain()),
      '?': (scanner) => (scanner.isIndicator() ? scanner.fetchKey() : scanner.fetchPlain()),
      ':': (scanner) => (scanner.isIndicator() ? scanner.fetchValue() : scanner.fetchPlain()),
      '*': (scanner) => scanner.fetchName('alias'),
      '&': (scanner) => scanner.fetchName('anchor'),
      '!': (scanner) => scanner.fetchTag(),
      '|': (scanner) => scanner.fetchBlockScalar(),
      '>': (scanner) => scanner.fetchBlockScalar(),
      "'": (scanner) => scanner.fetchScalar('quoted-scalar', scanQuoted),
      '"': (scanner) => scanner.fetchScalar('quoted-scalar', scanQuoted),
      '\t': (scanner) => scanner.refuse(),
      '%': (scanner) => scanner.refuse(),
      '@': (scanner) => scanner.refuse(),
      '`': (scanner) => scanner.refuse(),
    }).map(([character, fetch]) => [character.charCodeAt(0), fetch]),
  )

  readonly source: Source
  private readonly waiting: Token[] = []
  private head = 0
  private first: Token | undefined
  private taken = 0
  /** The columns of the enclosing block collections; `indent` is that of the innermost. */
  private readonly indents: number[] = []
  private indent = -1
  private level: Level = { opener: undefined, key: undefined }
  private readonly outerLevels: Level[] = []
  private keyAllowed = true

  constructor(text: string) {
    this.source = new Source(text)
  }

  /** @throws YamlSyntaxError */
  peek(): Token {
    this.first ??= this.decided()
    return this.first
  }

  /** @throws YamlSyntaxError */
  next(): Token {
    const first = this.peek()
    this.first = undefined
    this.head++
    this.taken++
    if (this.head > keptTokens && this.head === this.waiting.length) {
      this.waiting.length = 0
      this.head = 0
    }
    return first
  }

  /** Scans until the first queued token is decided, and returns it. */
  private decided(): Token {
    for (;;) {
      const first = this.waiting[this.head]
      if (first !== undefined && (first.key?.awaited !== true || !this.isPossible(first.key))) return first
      this.fetch()
    }
  }

  private get inFlow(): boolean {
    return this.outerLevels.length > 0
  }

  /** Queues an indicator token of this many characters. */
  private indicator(type: TokenType, length = 1): void {
    this.waiting.push(token(type, this.source.line))
    this.source.skip(length)
  }

  private isPossible(key: PossibleKey): boolean {
    if (!key.possible) return false
    const { line, position } = this.source
    if (key.line >= line && key.position + maximumKeyLength >= position) return true
    this.dismiss(key)
    return false
  }

  private dismiss(key: PossibleKey): void {
    if (key.required) throw this.source.error("could not find expected ':'")
    key.possible = false
  }

  /** Removes the possible simple key before the current position. */
  private dismissKey(): void {
    const { key } = this.level
    if (key?.possible) this.dismiss(key)
  }

  /** Marks the node at the current position as a possible simple key. */
  private saveKey(): PossibleKey | undefined {
    if (!this.keyAllowed) return undefined
    this.dismissKey()
    const { position, line, column } = this.source
    const key: PossibleKey = {
      possible: true,
      awaited: true,
      required: !this.inFlow && this.indent === column,
      number: this.taken + this.waiting.length - this.head,
      position,
      line,
      column,
    }
    this.level.key = key
    return key
  }

  /** Opens a block collection at the column unless one is open there. Its token goes before the token `number`. */
  private roll(type: TokenType, column: number, line: number, number?: number): void {
    if (this.inFlow || this.indent >= column) return
    this.indents.push(this.indent)
    this.indent = column
    this.insert(type, line, number)
  }

  private insert(type: TokenType, line: number, number?: number): void {
    // If that token has already been consumed, the new one goes to the end, as in Go's parser.
    const at = number === undefined || number < this.taken ? this.waiting.length : this.head + number - this.taken
    insertToken(this.waiting, at, token(type, line))
  }

  /** Closes the block collections that begin to the right of the column. */
  private unroll(column: number): void {
    if (this.inFlow) return
    while (this.indent > column) {
      this.waiting.push(token('block-end', this.source.line))
      this.indent = this.indents.pop() ?? -1
    }
  }

  private skipToToken(): void {
    const { source } = this
    for (;;) {
      const tabs = this.inFlow || !this.keyAllowed
      if (tabs) source.skipBlanks()
      else source.skipSpaces()
      source.skipComment()
      if (source.readBreak() === '') return
      if (!this.inFlow) this.keyAllowed = true
    }
  }

  private fetch(): void {
    const { source } = this
    this.skipToToken()
    this.unroll(source.column)
    if (isEnd(source.code())) this.fetchEnd()
    else if (source.column === 0 && source.code() === 0x25) {
      this.leaveDocument()
      this.waiting.push(scanDirective(source))
    } else if (source.isAtDocumentIndicator()) {
      this.leaveDocument()
      this.indicator(source.code() === 0x2d ? 'document-start' : 'document-end', 3)
    } else this.fetchNode()
  }

  private leaveDocument(): void {
    this.unroll(-1)
    this.dismissKey()
    this.keyAllowed = false
  }

  private fetchEnd(): void {
    this.source.endLine()
    this.leaveDocument()
    this.waiting.push(token('stream-end', this.source.line))
  }

  /** Scans a token by its first character. */
  private fetchNode(): void {
    const fetch = Scanner.byIndicator.get(this.source.code())
    if (fetch === undefined) this.fetchPlain()
    else fetch(this)
  }

  /** Whether the character is an indicator: outside flow collections, white space must follow it. */
  private isIndicator(): boolean {
    return this.inFlow || isSpaceOrEnd(this.source.code(1))
  }

  private refuse(): never {
    throw this.source.error('found character that cannot start any token')
  }

  private openFlow(type: TokenType): void {
    const key = this.saveKey()
    this.outerLevels.push(this.level)
    this.level = { opener: key, key: undefined }
    if (this.outerLevels.length > maximumDepth) throw this.source.error(`exceeded max depth of ${maximumDepth}`)
    this.keyAllowed = true
    this.waiting.push(token(type, this.source.line, '', '', key))
    this.source.skip()
  }

  private closeFlow(type: TokenType): void {
    this.dismissKey()
    const { opener, key } = this.level
    // As in Go's parser, a flow collection without a possible key inside cannot be a key itself: `[]: a`.
    if (opener !== undefined && key === undefined) opener.awaited = false
    this.level = this.outerLevels.pop() ?? this.level
    this.keyAllowed = false
    this.indicator(type)
  }

  private fetchFlowEntry(): void {
    this.dismissKey()
    this.keyAllowed = true
    this.indicator('flow-entry')
  }

  /** Outside flow collections, the indicator is allowed only at the position of a key. */
  private openBlock(type: TokenType, problem: string): void {
    if (this.inFlow) return
    if (!this.keyAllowed) throw this.source.error(`${problem} are not allowed in this context`)
    this.roll(type, this.source.column, this.source.line)
  }

  private fetchBlockEntry(): void {
    this.openBlock('block-sequence-start', 'block sequence entries')
    this.dismissKey()
    this.keyAllowed = true
    this.indicator('block-entry')
  }

  private fetchKey(): void {
    this.openBlock('block-mapping-start', 'mapping keys')
    this.dismissKey()
    this.keyAllowed = !this.inFlow
    this.indicator('key')
  }

  private fetchValue(): void {
    const { key } = this.level
    if (key !== undefined && this.isPossible(key)) {
      this.insert('key', key.line, key.number)
      this.roll('block-mapping-start', key.column, key.line, key.number)
      key.possible = false
      this.keyAllowed = false
    } else {
      this.openBlock('block-mapping-start', 'mapping values')
      this.keyAllowed = !this.inFlow
    }
    this.indicator('value')
  }

  private fetchName(type: 'alias' | 'anchor'): void {
    const key = this.saveKey()
    this.keyAllowed = false
    const { line } = this.source
    this.waiting.push(token(type, line, scanName(this.source), '', key))
  }

  private fetchTag(): void {
    const key = this.saveKey()
    this.keyAllowed = false
    this.waiting.push(scanTag(this.source, key))
  }

  private fetchBlockScalar(): void {
    if (this.inFlow) this.refuse()
    this.dismissKey()
    this.keyAllowed = true
    const { line } = this.source
    this.waiting.push(token('block-scalar', line, scanBlock(this.source, this.indent).text))
  }

  private fetchPlain(): void {
    this.fetchScalar('plain-scalar', (source) => scanPlain(source, this.indent + 1, this.inFlow))
  }

  private fetchScalar(type: TokenType, scan: (source: Source) => ScannedScalar): void {
    const key = this.saveKey()
    const { line } = this.source
    const { text, endsLine } = scan(this.source)
    this.keyAllowed = endsLine
    this.waiting.push(token(type, line, text, '', key))
  }
}
