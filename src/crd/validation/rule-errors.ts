/** What is wrong with the expressions of rules. */
import type { FieldError } from '../../meta/field-error.ts'
import type { ValidationRule } from '../json-schema.ts'
import type { RuleContext } from './rule-context.ts'

/** Compiles the rules of one place. */
export function ruleErrors(
  _context: RuleContext,
  _rules: readonly ValidationRule[],
  _path: string,
  _uncorrelated: string | undefined,
): FieldError[] {
  return []
}
