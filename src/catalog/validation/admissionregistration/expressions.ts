/**
 * Checks of the expressions of webhooks and admission policies, but for what only a compiler can tell: `checkExpression`
 * is where every one of them passes.
 */
import { duplicate, required, tooMany } from '../../../meta/field-error.ts'
import { trimSpace } from '../../../meta/go-text.ts'
import { checkQualifiedName, type Errors } from '../checks.ts'

/** An expression must be given. Whether it compiles is not asked yet. */
export function checkExpression(expression: string, field: string, errors: Errors, detail = ''): void {
  if (trimSpace(expression) === '') errors.push(required(field, detail))
}

/** A condition as webhooks and policies have it. */
export interface MatchCondition {
  name: string
  expression: string
}

const mostConditions = 64

function checkCondition({ name, expression }: MatchCondition, field: string, errors: Errors): void {
  checkExpression(expression, `${field}.expression`, errors)
  if (name === '') errors.push(required(`${field}.name`))
  else checkQualifiedName(name, `${field}.name`, errors)
}

/** Conditions, each with a name of its own. */
export function checkMatchConditions(conditions: readonly MatchCondition[], field: string, errors: Errors): void {
  if (conditions.length > mostConditions) errors.push(tooMany(field, conditions.length, mostConditions))
  const seen = new Set<string>()
  for (const [index, condition] of conditions.entries()) {
    checkCondition(condition, `${field}[${index}]`, errors)
    const { name } = condition
    if (name !== '' && seen.has(name)) errors.push(duplicate(`${field}[${index}].name`, name))
    seen.add(name)
  }
}
