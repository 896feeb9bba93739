/** Match conditions of policies and webhooks: whether a request is of interest. Follows the package webhook/matchconditions. */
import { conditionsBudget, evaluateExpressions, type PolicyActivation, type PolicyExpression } from './expressions.ts'

/** The outcome of match conditions. An error counts by the failure policy. */
export type ConditionsOutcome = { readonly matches: boolean } | { readonly error: string }

/** Returns the text of several errors. Follows utilerrors.NewAggregate, which leaves out repeated texts. */
export function aggregateText(errors: readonly string[]): string {
  const distinct = [...new Set(errors)]
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`
}

/**
 * Evaluates match conditions. One that is false decides, even after errors.
 * @param isIgnoring whether the failure policy is Ignore: with an error the conditions then do not match
 * @param failed is called for each error
 * @throws MissingLookups
 */
export function matchConditions(
  conditions: readonly PolicyExpression[],
  activation: PolicyActivation,
  isIgnoring: boolean,
  failed: () => void = () => undefined,
): ConditionsOutcome {
  const evaluated = evaluateExpressions(conditions, activation, conditionsBudget)
  if ('exhausted' in evaluated) return isIgnoring ? { matches: false } : { error: evaluated.exhausted }
  const errors: string[] = []
  for (const result of evaluated.results) {
    if (result === undefined) continue
    if ('error' in result) {
      errors.push(result.error)
      failed()
    }
    if ('value' in result && result.value === false) return { matches: false }
  }
  if (errors.length === 0) return { matches: true }
  return isIgnoring ? { matches: false } : { error: aggregateText(errors) }
}
