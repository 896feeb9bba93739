/** The patterns of schemas. They run on RE2, so matching is linear in the text for every pattern. */
import { RE2JS, RE2JSException } from 're2js'

/** The maximum length of a pattern: a compiled RE2 pattern takes memory. */
const mostCharacters = 10_000

/** The maximum number of cached patterns: the schemas of a project repeat the same few. */
const mostKept = 500

type Compiled = RE2JS | { readonly error: string }

const kept = new Map<string, Compiled>()

function compile(pattern: string): Compiled {
  if (pattern.length > mostCharacters) return { error: 'error parsing regexp: expression too large' }
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    if (error instanceof RE2JSException) return { error: error.message }
    throw error
  }
}

function compiled(pattern: string): Compiled {
  const known = kept.get(pattern)
  if (known !== undefined) return known
  const made = compile(pattern)
  if (kept.size >= mostKept) kept.clear()
  kept.set(pattern, made)
  return made
}

/** Returns the error of a pattern in Go's words; undefined if it is valid. */
export function patternError(pattern: string): string | undefined {
  const found = compiled(pattern)
  return 'error' in found ? found.error : undefined
}

/**
 * Returns a test for texts that contain a match. An invalid pattern matches nothing. The pattern is compiled on first use.
 *
 * @example
 * ```ts
 * const isVersion = patternOf('^v[0-9]+$')
 * isVersion('v1') // true
 * isVersion('1') // false
 * ```
 */
export function patternOf(pattern: string): (text: string) => boolean {
  let found: Compiled | undefined
  return (text) => {
    found ??= compiled(pattern)
    return 'error' in found ? false : found.test(text)
  }
}
