/** Validates the expressions of rules. */

import { UNBOUNDED } from '../../cel/estimate-range.ts'
import { addErrors, type FieldError, forbiddenValue, internalFieldError, invalidValue } from '../../meta/field-error.ts'
import type { Parts } from '../../meta/parts.ts'
import type { ValidationRule } from '../json-schema.ts'
import { type CompiledRule, compiledRules, maximumCardinality } from '../rules/compile-rule.ts'
import { costText, type RuleContext } from './rule-context.ts'

/** The limit of one expression's estimated cost. */
const expressionCostLimit = 10_000_000

/** The cost of compiling and estimating a rule, in keyword checks, for dividing the work into slices. */
const stepsOfRule = 100

/** Returns a rule as Go prints it. */
const shownRule = ({ rule, message = '', messageExpression = '', reason, fieldPath = '', optionalOldSelf }: ValidationRule) => ({
  Rule: rule,
  Message: message,
  MessageExpression: messageExpression,
  Reason: reason ?? null,
  FieldPath: fieldPath,
  OptionalOldSelf: optionalOldSelf ?? null,
})

function costErrors(context: RuleContext, path: string, what: string, cost: number): FieldError[] {
  const isTooDear = context.limits === 'checked' && cost > expressionCostLimit
  context.total.observe(path, cost)
  return isTooDear ? [forbiddenValue(path, costText(what, cost, expressionCostLimit))] : []
}

function messageErrors(context: RuleContext, { rule, message }: CompiledRule, path: string): FieldError[] {
  if (message === undefined) return []
  const place = `${path}.messageExpression`
  if ('error' in message) return [invalidValue(place, shownRule(rule), message.error)]
  return costErrors(context, place, 'estimated messageExpression cost', message.maximumCost)
}

function oldSelfErrors({ rule, usesOldSelf }: CompiledRule, path: string, uncorrelated: string | undefined): FieldError[] {
  if (!usesOldSelf) {
    if (rule.optionalOldSelf === undefined) return []
    return [invalidValue(`${path}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule')]
  }
  if (uncorrelated === undefined) return []
  const text = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`
  return [invalidValue(`${path}.rule`, rule.rule, text)]
}

function compiledErrors(
  context: RuleContext,
  compiled: CompiledRule,
  cardinality: number,
  path: string,
  uncorrelated: string | undefined,
): FieldError[] {
  const { rule, expression } = compiled
  const cost = 'error' in expression ? 0 : Math.min(expression.maximumCost * cardinality, UNBOUNDED)
  return [
    ...costErrors(context, `${path}.rule`, 'estimated rule cost', cost),
    ...('error' in expression ? [invalidValue(`${path}.rule`, shownRule(rule), expression.error)] : []),
    ...messageErrors(context, compiled, path),
    ...oldSelfErrors(compiled, path, uncorrelated),
  ]
}

/**
 * Compiles and validates the rules at one position.
 * @param path of the list of rules
 * @param uncorrelated the path of the nearest ancestor whose parts cannot be correlated with old values
 */
export function* ruleErrors(
  context: RuleContext,
  rules: readonly ValidationRule[],
  path: string,
  uncorrelated: string | undefined,
): Parts<FieldError[]> {
  const declared = context.declared()
  if (declared === undefined) {
    const why = 'unable to convert structural schema to CEL declarations'
    const text = `failed to construct type information for x-kubernetes-validations rules: ${why}`
    return [internalFieldError(path, `internal error: ${text}`)]
  }
  const cardinality = context.cardinality ?? maximumCardinality(declared)
  const errors: FieldError[] = []
  let index = 0
  for (const compiled of compiledRules(rules, declared)) {
    addErrors(errors, compiledErrors(context, compiled, cardinality, `${path}[${index++}]`, uncorrelated))
    yield stepsOfRule
  }
  return errors
}
