/** Regular expressions of users. The work of compiling and matching them counts as work of the evaluation. */

import type { Count } from '../go/regexp/program.ts'
import { compileRegexp, isCompiled, type Regexp } from '../go/regexp/regexp.ts'
import { sizeOfExpression } from '../go/regexp/size.ts'
import { countSteps } from './budget.ts'
import { CelError } from './value.ts'

/** A compiled expression. Its methods throw CostLimitExceeded if they exceed the work limit. */
export interface Regex {
  /** Whether it matches anywhere in the text. */
  test(text: string): boolean
  /** Returns the first match; '' without a match. */
  find(text: string): string
  /** Returns the first `limit` matches without overlap; all of them if it is negative. */
  findAll(text: string, limit: number): string[]
}

/** The steps of matching, of about 5 ns, that count as one step of an evaluation. */
const matchingSteps = 5
/** The steps of compiling an expression, for each of its instructions. */
const compilingSteps = 40

const count: Count = (steps) => countSteps(steps / matchingSteps)

const regexOf = (regexp: Regexp): Regex => ({
  test: (text) => regexp.test(text, count),
  find: (text) => regexp.find(text, count),
  findAll: (text, limit) => regexp.findAll(text, limit, count),
})

/**
 * Compiles an expression, or returns an error in Go's words (without `error parsing regexp`).
 * @throws CostLimitExceeded if this exceeds the work limit
 */
export function compileRegex(text: string): Regex | CelError {
  if (!isCompiled(text)) countSteps(compilingSteps * sizeOfExpression(text))
  const compiled = compileRegexp(text)
  return 'error' in compiled ? new CelError(compiled.error) : regexOf(compiled)
}
