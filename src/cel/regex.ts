/** Regular expressions of users. They run on RE2, whose matching is linear in the text; which implementation is the caller's choice. */

import { spend } from './budget.ts'
import { CelError } from './value.ts'

/** A compiled expression. */
export interface Regex {
  /** Whether it matches somewhere in the text. */
  test(text: string): boolean
  /** The first match, '' where there is none. */
  find(text: string): string
  /** The first matches that do not overlap, at most `limit`; all of them where it is negative. */
  findAll(text: string, limit: number): string[]
}

/** Compiles expressions. */
export interface RegexEngine {
  /**
   * The expression, or the error in Go's words (without `error parsing regexp`).
   * @throws CostLimitExceeded where this and what was done before are too much
   */
  compile(pattern: string): Regex | CelError
}

interface Re2Matcher {
  find(start?: number): boolean
  start(): number
  end(): number
}

interface Re2Pattern {
  matcher(text: string): Re2Matcher
}

/** What the engine needs of the package re2js: its class RE2JS. */
export interface Re2Library {
  compile(pattern: string): Re2Pattern
}

/** An empty match directly behind the one before it does not count, as in Go. */
function matches(pattern: Re2Pattern, text: string, limit: number): string[] {
  const matcher = pattern.matcher(text)
  const found: string[] = []
  let previousEnd = -1
  while ((limit < 0 || found.length < limit) && matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()]
    if (end > start || start !== previousEnd) found.push(text.slice(start, end))
    previousEnd = end
  }
  return found
}

/** The message as Go has it, which always ends with the piece that is wrong. */
function goMessage(message: string): string {
  return message.endsWith('trailing backslash at end of expression') ? `${message}: \`\`` : message
}

const MEMO_SIZE = 512

/** How much work it is to compile an expression: what is repeated is compiled as often. */
function stepsOf(text: string): number {
  let repeats = 1
  for (const [, least, most = ''] of text.matchAll(/\{(\d{1,4})(?:,(\d{0,4}))?\}/g)) repeats += Number(most || least)
  return 4 * text.length * repeats
}

/** The engine that runs on re2js. It keeps what it compiled last. */
export function regexEngine(library: Re2Library): RegexEngine {
  const memo = new Map<string, Regex | CelError>()
  const compile = (text: string): Regex | CelError => {
    try {
      const pattern = library.compile(text)
      return {
        test: (input) => pattern.matcher(input).find(),
        find: (input) => matches(pattern, input, 1)[0] ?? '',
        findAll: (input, limit) => matches(pattern, input, limit),
      }
    } catch (error) {
      return new CelError(goMessage(error instanceof Error ? error.message : String(error)))
    }
  }
  return {
    compile: (text) => {
      const known = memo.get(text)
      if (known !== undefined) return known
      spend(stepsOf(text))
      if (memo.size >= MEMO_SIZE) memo.clear()
      const compiled = compile(text)
      memo.set(text, compiled)
      return compiled
    },
  }
}
