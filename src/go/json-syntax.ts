/**
 * The error messages of Go's encoding/json for invalid JSON. Runs only after JSON.parse has failed, so it is written for the
 * message and not for speed.
 */
import { goQuote } from './text.ts'

/** The text is not valid JSON. The message is that of Go's encoding/json for the same bytes. */
export class JsonSyntaxError extends Error {}

/**
 * The maximum depth of nested arrays and objects. Go allows 10,000; V8's JSON functions recurse and overflow the stack from about
 * 3,000, so deeper texts are rejected here with Go's message.
 */
export const MAX_DEPTH = 1000

const SPACE = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c

const isSpace = (code: number): boolean => code === SPACE || code === 0x09 || code === 0x0a || code === 0x0d
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
const isHex = (code: number): boolean => isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66)

/** Returns the first byte of the character in UTF-8: Go's scanner works on bytes and prints them as Latin-1. */
function firstByte(code: number): number {
  if (code < 0x80) return code
  if (code < 0x800) return 0xc0 | (code >> 6)
  return code >= 0xd800 && code <= 0xdbff ? 0xf0 | ((code - 0xd800 + 0x40) >> 8) : 0xe0 | (code >> 12)
}

/** Formats a byte in single quotes as Go's scanner does. */
function quotedByte(byte: number): string {
  if (byte === QUOTE) return `'"'`
  if (byte === 0x27) return `'\\''`
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`
}

/** The token that may come next. The error message for any other depends on it. */
type Expected = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'after'

const LITERALS: ReadonlyMap<number, string> = new Map([
  [0x74, 'true'],
  [0x66, 'false'],
  [0x6e, 'null'],
])

class Scanner {
  private readonly text: string
  /** Returns the byte that errors show for a character. */
  private readonly byteOf: (code: number) => number
  private at = 0
  /** The expected closing brackets, innermost last. */
  private readonly open: ('}' | ']')[] = []

  constructor(text: string, byteOf = firstByte) {
    this.text = text
    this.byteOf = byteOf
  }

  /**
   * Returns the current character. At the end Go passes a space to its state machine, so errors about truncated texts mention a
   * space.
   */
  private code(): number {
    return this.at < this.text.length ? this.text.charCodeAt(this.at) : SPACE
  }

  private fail(context: string): never {
    throw new JsonSyntaxError(`invalid character ${quotedByte(this.byteOf(this.code()))} ${context}`)
  }

  private skipSpace(): void {
    while (this.at < this.text.length && isSpace(this.text.charCodeAt(this.at))) this.at++
    if (this.at >= this.text.length) throw new JsonSyntaxError('unexpected end of JSON input')
  }

  /** Scans the whole text. Throws JsonSyntaxError at the first error. */
  scan(): void {
    let expected: Expected = 'value'
    do {
      this.skipSpace()
      expected = this.step(expected)
    } while (this.open.length > 0 || expected !== 'after')
    while (this.at < this.text.length && isSpace(this.text.charCodeAt(this.at))) this.at++
    if (this.at < this.text.length) this.fail('after top-level value')
  }

  private step(expected: Expected): Expected {
    const code = this.code()
    switch (expected) {
      case 'valueOrEnd':
        return code === 0x5d ? this.close() : this.value()
      case 'value':
        return this.value()
      case 'keyOrEnd':
        return code === 0x7d ? this.close() : this.key()
      case 'key':
        return this.key()
      case 'colon':
        if (code !== 0x3a) this.fail('after object key')
        this.at++
        return 'value'
      case 'after':
        return this.afterValue()
    }
  }

  private afterValue(): Expected {
    const end = this.open.at(-1)
    const character = this.text[this.at]
    if (character === end) return this.close()
    if (character !== ',') this.fail(end === '}' ? 'after object key:value pair' : 'after array element')
    this.at++
    return end === '}' ? 'key' : 'value'
  }

  private close(): Expected {
    this.open.pop()
    this.at++
    return 'after'
  }

  private key(): Expected {
    if (this.code() !== QUOTE) this.fail('looking for beginning of object key string')
    this.string()
    return 'colon'
  }

  private value(): Expected {
    const code = this.code()
    if (code === 0x7b || code === 0x5b) return this.begin(code === 0x7b ? '}' : ']')
    const literal = LITERALS.get(code)
    if (literal !== undefined) this.literal(literal)
    else if (code === QUOTE) this.string()
    else if (code === 0x2d || isDigit(code)) this.number()
    else this.fail('looking for beginning of value')
    return 'after'
  }

  private begin(end: '}' | ']'): Expected {
    this.open.push(end)
    if (this.open.length > MAX_DEPTH) this.fail('exceeded max depth')
    this.at++
    return end === '}' ? 'keyOrEnd' : 'valueOrEnd'
  }

  private literal(word: string): void {
    for (let i = 1; i < word.length; i++) {
      this.at++
      if (this.code() !== word.charCodeAt(i)) this.fail(`in literal ${word} (expecting '${word[i]}')`)
    }
    this.at++
  }

  private string(): void {
    this.at++
    for (;;) {
      if (this.at >= this.text.length) throw new JsonSyntaxError('unexpected end of JSON input')
      const code = this.code()
      if (code < SPACE) this.fail('in string literal')
      this.at++
      if (code === QUOTE) return
      if (code === BACKSLASH) this.escape()
    }
  }

  private escape(): void {
    const code = this.code()
    if (code !== 0x75) {
      if (!'bfnrt\\/"'.includes(String.fromCharCode(code))) this.fail('in string escape code')
      this.at++
      return
    }
    for (let i = 0; i < 4; i++) {
      this.at++
      if (!isHex(this.code())) this.fail('in \\u hexadecimal character escape')
    }
    this.at++
  }

  private number(): void {
    if (this.code() === 0x2d) {
      this.at++
      if (!isDigit(this.code())) this.fail('in numeric literal')
    }
    if (this.code() === 0x30) this.at++
    else this.digits()
    if (this.code() === 0x2e) {
      this.at++
      if (!isDigit(this.code())) this.fail('after decimal point in numeric literal')
      this.digits()
    }
    if ((this.code() | 0x20) !== 0x65) return
    this.at++
    if (this.code() === 0x2b || this.code() === 0x2d) this.at++
    if (!isDigit(this.code())) this.fail('in exponent of numeric literal')
    this.digits()
  }

  private digits(): void {
    while (isDigit(this.code())) this.at++
  }
}

/**
 * Checks a JSON text.
 * @throws JsonSyntaxError if the text is not valid JSON or nests deeper than MAX_DEPTH
 */
export function checkSyntax(text: string): void {
  new Scanner(text).scan()
}

/**
 * Checks JSON that may not be valid UTF-8. Strings may contain any bytes.
 * @throws JsonSyntaxError as `checkSyntax` does
 */
export function checkSyntaxOfBytes(bytes: Buffer): void {
  new Scanner(bytes.toString('latin1'), (byte) => byte).scan()
}
