/** The patterns of schemas. */
import type { Count } from '../../go/regexp/program.ts'
import { compileRegexp, type Regexp, type SyntaxProblem } from '../../go/regexp/regexp.ts'

/** Returns the error of a pattern in Go's words; undefined if it is valid. */
export function patternError(pattern: string): string | undefined {
  const compiled = compileRegexp(pattern)
  return 'error' in compiled ? compiled.error : undefined
}

/**
 * Returns a test for texts that contain a match. An invalid pattern matches nothing. The pattern is compiled on first use.
 *
 * @example
 * ```ts
 * const isVersion = patternOf('^v[0-9]+$')
 * isVersion('v1', count) // true
 * isVersion('1', count) // false
 * ```
 */
export function patternOf(pattern: string): (text: string, count: Count) => boolean {
  let compiled: Regexp | SyntaxProblem | undefined
  return (text, count) => {
    compiled ??= compileRegexp(pattern)
    return 'error' in compiled ? false : compiled.test(text, count)
  }
}
