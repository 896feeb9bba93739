/** Patterns of schemas. They run on RE2: whatever the expression, matching is linear in the text. */
import { RE2JS, RE2JSException } from 're2js'

/** The longest expression that is compiled: what RE2 makes of it is memory. */
const mostCharacters = 10_000

/** Expressions that are kept: the same few stand all over the schemas of a project. */
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

/** What is wrong with a pattern, in Go's words; undefined where it can be compiled. */
export function patternError(pattern: string): string | undefined {
  const found = compiled(pattern)
  return 'error' in found ? found.error : undefined
}

/** Whether texts match somewhere. A pattern that cannot be compiled matches nothing. */
export function patternOf(pattern: string): (text: string) => boolean {
  let found: Compiled | undefined
  return (text) => {
    found ??= compiled(pattern)
    return 'error' in found ? false : found.test(text)
  }
}
