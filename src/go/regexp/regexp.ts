/**
 * Regular expressions as Go's package regexp has them: the syntax and the matches of RE2. re2js parses and compiles them. Matching
 * is linear in the text for each expression, but a text of a megabyte and an expression of a thousand instructions are a billion
 * steps: so the steps are counted, and the caller limits them.
 */
import { RE2JSException } from 're2js'
import { Automaton } from './automaton.ts'
import { type Count, Program } from './program.ts'
import { type Match, search } from './search.ts'
import { sizeOfExpression } from './size.ts'

/** The maximum length of an expression, and of its program: an instruction takes about 1 µs and 200 bytes when it is compiled. */
const mostCharacters = 10_000
const mostInstructions = 50_000

/** The number of cached expressions, and the instructions in all of them: the schemas of a project repeat the same few. */
const mostCached = 500
const mostCachedInstructions = 500_000

/** The error of an invalid expression, in Go's words. */
export interface SyntaxProblem {
  readonly error: string
}

const isInside = (text: string, at: number): boolean => {
  const [high, low] = [text.charCodeAt(at - 1), text.charCodeAt(at)]
  return high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000
}

/** A compiled expression. Each method throws the error of `count` when too much work was done. */
export class Regexp {
  readonly #program: Program
  readonly #automaton: Automaton

  /** @throws RE2JSException if the text is no expression */
  constructor(text: string) {
    this.#program = new Program(text)
    this.#automaton = new Automaton(this.#program)
  }

  /** The number of instructions. */
  get size(): number {
    return this.#program.size
  }

  /** Whether the text contains a match. */
  test(text: string, count: Count): boolean {
    return this.#automaton.test(text, count)
  }

  /** Returns the first match; '' without a match. */
  find(text: string, count: Count): string {
    return this.findAll(text, 1, count)[0] ?? ''
  }

  /**
   * Returns the first `limit` matches without overlap; all of them if it is negative. As in Go, an empty match directly after the
   * previous match is skipped.
   */
  findAll(text: string, limit: number, count: Count): string[] {
    const matches: string[] = []
    let previous: Match | undefined
    for (let at = 0; at <= text.length && (limit < 0 || matches.length < limit); ) {
      const match = search(this.#program, text, at, count)
      if (match === undefined) break
      const { start, end } = match
      if (end > start || start !== previous?.end) matches.push(text.slice(start, end))
      previous = match
      at = end > at ? end : at + 1
      if (isInside(text, at)) at++
    }
    return matches
  }
}

/** Returns Go's message, which always ends with the offending part. */
function goMessage(message: string): string {
  return message.endsWith('trailing backslash at end of expression') ? `${message}: \`\`` : message
}

function compile(text: string): Regexp | SyntaxProblem {
  if (text.length > mostCharacters || sizeOfExpression(text) > mostInstructions) {
    return { error: 'error parsing regexp: expression too large' }
  }
  try {
    return new Regexp(text)
  } catch (error) {
    if (error instanceof RE2JSException) return { error: goMessage(error.message) }
    throw error
  }
}

const cache = new Map<string, Regexp | SyntaxProblem>()
let cachedInstructions = 0

/** Whether `compileRegexp` has the expression already, so that compiling it is no work. */
export const isCompiled = (text: string): boolean => cache.has(text)

/** Compiles an expression, or returns its error. It is cached. */
export function compileRegexp(text: string): Regexp | SyntaxProblem {
  const cached = cache.get(text)
  if (cached !== undefined) return cached
  const compiled = compile(text)
  cachedInstructions += compiled instanceof Regexp ? compiled.size : 0
  if (cache.size >= mostCached || cachedInstructions > mostCachedInstructions) {
    cache.clear()
    cachedInstructions = compiled instanceof Regexp ? compiled.size : 0
  }
  cache.set(text, compiled)
  return compiled
}
