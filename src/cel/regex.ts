/** Regular expressions of users. They run on RE2, which matches in linear time; the caller provides the implementation. */

import { countSteps } from './budget.ts'
import { CelError } from './value.ts'

/** A compiled expression. */
export interface Regex {
  /** Whether it matches anywhere in the text. */
  test(text: string): boolean
  /** Returns the first match; '' without a match. */
  find(text: string): string
  /** Returns the first `limit` matches without overlap; all of them if it is negative. */
  findAll(text: string, limit: number): string[]
}

export interface RegexEngine {
  /**
   * Compiles an expression, or returns an error in Go's words (without `error parsing regexp`).
   * @throws CostLimitExceeded if this exceeds the work limit
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

/** The part of re2js that the engine needs: its class RE2JS. */
export interface Re2Library {
  compile(pattern: string): Re2Pattern
}

/** Returns matches. As in Go, an empty match directly after the previous match is skipped. */
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

/** Returns Go's message, which always ends with the offending part. */
function goMessage(message: string): string {
  return message.endsWith('trailing backslash at end of expression') ? `${message}: \`\`` : message
}

const MEMO_SIZE = 512

/** Estimates the work of compiling an expression: repeated parts are compiled as many times. */
function stepsOf(text: string): number {
  let repeats = 1
  for (const [, least, most = ''] of text.matchAll(/\{(\d{1,4})(?:,(\d{0,4}))?\}/g)) repeats += Number(most || least)
  return 4 * text.length * repeats
}

/** Makes the engine that runs on re2js. It caches compiled expressions. */
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
      countSteps(stepsOf(text))
      if (memo.size >= MEMO_SIZE) memo.clear()
      const compiled = compile(text)
      memo.set(text, compiled)
      return compiled
    },
  }
}
