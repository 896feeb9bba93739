/** Parses an expression: its tree, or the issues of its text. */
import { reportSyntaxErrors } from './antlr-messages.ts'
import type { Expression } from './ast.ts'
import { reportRecovery } from './error-recovery.ts'
import { type Lexed, lex } from './lex.ts'
import type { Macros } from './macro-calls.ts'
import { Parser, TooDeep, Unparsable } from './parser.ts'
import { Issues, NOWHERE, Source } from './source.ts'
import { codePointLength } from './text.ts'

const MAX_CODE_POINTS = 100_000

/** The tree of an expression, or the issues of its text. */
export type Parsed = { readonly kind: 'tree'; readonly tree: Expression } | { readonly kind: 'issues'; readonly issues: Issues }

/** Returns the issues of a text with syntax errors. */
function syntaxIssues(text: string, lexed: Lexed, macros: Macros): Issues {
  const issues = new Issues(new Source(text))
  const tree = reportSyntaxErrors(text, lexed, issues)
  if (tree !== undefined) reportRecovery(text, tree, macros, issues)
  return issues
}

/** Parses an expression. Never throws: an invalid text gives issues with cel-go's texts. */
export function parse(text: string, macros: Macros): Parsed {
  const issues = new Issues(new Source(text))
  const size = codePointLength(text)
  if (size > MAX_CODE_POINTS) {
    issues.report(NOWHERE, `expression code point size exceeds limit: size: ${size}, limit ${MAX_CODE_POINTS}`)
    return { kind: 'issues', issues }
  }
  const lexed = lex(text)
  if (lexed.errors.length > 0) return { kind: 'issues', issues: syntaxIssues(text, lexed, macros) }
  try {
    const tree = new Parser(text, lexed.tokens, macros, issues).read()
    return issues.count === 0 ? { kind: 'tree', tree } : { kind: 'issues', issues }
  } catch (error) {
    if (!(error instanceof Unparsable)) throw error
    return { kind: 'issues', issues: error instanceof TooDeep ? issues : syntaxIssues(text, lexed, macros) }
  }
}
