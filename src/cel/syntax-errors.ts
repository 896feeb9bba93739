/** What is wrong with a text that is no expression. */
import type { Token } from './lex.ts'
import type { Issues } from './source.ts'

/** Reports the errors of syntax in the words of the reference's parser. */
export function reportSyntaxErrors(_text: string, tokens: readonly Token[], issues: Issues): void {
  issues.report(tokens[0]?.start ?? 0, 'Syntax error: TODO')
}
