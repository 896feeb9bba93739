/** Patterns of schemas. They run on RE2: whatever the expression, matching is linear in the text. */
import { RE2JS, RE2JSException } from 're2js'

/** The longest expression that is compiled: what RE2 makes of it is memory. */
const mostCharacters = 10_000

/** What is wrong with a pattern, in Go's words; undefined where it can be compiled. */
export function patternError(pattern: string): string | undefined {
  if (pattern.length > mostCharacters) return 'error parsing regexp: expression too large'
  try {
    RE2JS.compile(pattern)
    return undefined
  } catch (error) {
    if (error instanceof RE2JSException) return error.message
    throw error
  }
}

/** Whether texts match somewhere. A pattern that cannot be compiled matches nothing. */
export function patternOf(pattern: string): (text: string) => boolean {
  if (patternError(pattern) !== undefined) return () => false
  let compiled: RE2JS | undefined
  return (text) => {
    compiled ??= RE2JS.compile(pattern)
    return compiled.test(text)
  }
}
