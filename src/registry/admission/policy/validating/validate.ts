/** Evaluates a ValidatingAdmissionPolicy for one parameter. Follows the validator of the package policy/validating. */
import { typeNameOf, type Value } from '../../../../cel/value.ts'
import type { JsonObject } from '../../../../go/json-value.ts'
import { trimSpace, utf8Length } from '../../../../go/text.ts'
import type { EquivalentResource } from '../../matching/equivalents.ts'
import {
  callLimit,
  type ExpressionResult,
  evaluateExpressions,
  type PolicyActivation,
  type PolicyExpression,
  policyActivation,
  policyBudget,
} from '../shared/expressions.ts'
import { matchConditions } from '../shared/match-conditions.ts'
import type { ExpressionUse, RequestValues } from '../shared/request-values.ts'
import type { ValidatingEvaluator, ValidationTexts } from './compile.ts'

/** The decision of one validation. */
export type ValidationDecision =
  | { readonly outcome: 'admit' }
  /** An error that failurePolicy Ignore admits. */
  | { readonly outcome: 'ignoredError'; readonly message: string }
  | { readonly outcome: 'deny'; readonly message: string; readonly reason: string }
  | { readonly outcome: 'error'; readonly message: string }

/** An audit annotation of a policy, or the error that denies the request. */
export type PolicyAnnotation = { readonly key: string; readonly value: string } | { readonly key: string; readonly error: string }

/** The result of a policy for one parameter. */
export interface ValidationResult {
  /** By validation; or a single one if an error concerns all. */
  readonly decisions: readonly ValidationDecision[]
  /** Without those whose value is empty or null. */
  readonly annotations: readonly PolicyAnnotation[]
}

/** A policy that is evaluated for a request. */
export interface Evaluated {
  readonly evaluator: ValidatingEvaluator
  /** Whether failurePolicy is Ignore. */
  readonly isIgnoring: boolean
  readonly matched: EquivalentResource
  readonly values: RequestValues
  /** Counts an error of a match condition. */
  readonly conditionFailed: () => void
}

const longestMessage = 5 * 1024
const admitted: ValidationDecision = { outcome: 'admit' }
const nothing: ValidationResult = { decisions: [], annotations: [] }

const failed = (message: string, isIgnoring: boolean): ValidationDecision => ({
  outcome: isIgnoring ? 'ignoredError' : 'error',
  message,
})

const failedWhole = (message: string, isIgnoring: boolean): ValidationResult => ({
  decisions: [failed(message, isIgnoring)],
  annotations: [],
})

/** Returns the text of a messageExpression's result; '' if it cannot be the message. */
function evaluatedMessage(result: ExpressionResult | undefined): string {
  if (result === undefined || 'error' in result || typeof result.value !== 'string') return ''
  const message = trimSpace(result.value)
  return utf8Length(message) > longestMessage || message.includes('\n') ? '' : message
}

const messageOf = (result: ExpressionResult | undefined, { message }: ValidationTexts, { text }: PolicyExpression): string =>
  evaluatedMessage(result) || trimSpace(message) || `failed expression: ${trimSpace(text)}`

/** The evaluated messages of the validations, or the error that none could be evaluated. */
type Messages = { readonly results: readonly (ExpressionResult | undefined)[] } | { readonly exhausted: string }

/**
 * Evaluates all messages, which share the budget that the validations left. If none is needed and they cannot exceed the budget,
 * they are not evaluated.
 */
function evaluateMessages(
  evaluator: ValidatingEvaluator,
  activation: () => PolicyActivation,
  budget: number,
  isNeeded: boolean,
): Messages {
  const { messages, variables } = evaluator
  const written = messages.filter((message) => message !== undefined).length
  // An evaluation ends shortly after it exceeds its limit.
  const greatestCost = written === 0 ? 0 : (written + variables.length) * 2 * callLimit
  if (!isNeeded && greatestCost <= budget) return { results: [] }
  return written === 0 ? { results: [] } : evaluateExpressions(messages, activation(), budget)
}

function annotationOf(key: string, result: ExpressionResult | undefined, text: string, isIgnoring: boolean): PolicyAnnotation[] {
  if (result === undefined) return []
  if ('error' in result) return isIgnoring ? [] : [{ key, error: result.error }]
  const { value } = result
  if (typeof value === 'string') {
    const trimmed = trimSpace(value)
    return trimmed === '' ? [] : [{ key, value: trimmed }]
  }
  return value === null ? [] : [{ key, error: unsupported(text, value) }]
}

const unsupported = (text: string, value: Value): string =>
  `valueExpression '${text}' resulted in unsupported return type: ${typeNameOf(value)}. Return type must be either string or null.`

/**
 * Evaluates a policy.
 * @param param null without a parameter
 * @throws ApiError if the objects cannot be converted, MissingLookups
 */
export function validatePolicy(
  { evaluator, isIgnoring, matched, values, conditionFailed }: Evaluated,
  param: JsonObject | null,
): ValidationResult {
  const { variables, conditions, validations, texts, annotations, annotationKeys } = evaluator
  const activation = (use: ExpressionUse): PolicyActivation => policyActivation(values.activation(matched, param, use), variables)
  if (conditions.length > 0) {
    const outcome = matchConditions(conditions, activation('conditions'), isIgnoring, conditionFailed)
    if ('error' in outcome) return failedWhole(outcome.error, isIgnoring)
    if (!outcome.matches) return nothing
  }
  const evaluated = evaluateExpressions(validations, activation('decisions'), policyBudget)
  if ('exhausted' in evaluated) return failedWhole(evaluated.exhausted, isIgnoring)
  const isDenied = evaluated.results.some((result) => result !== undefined && 'value' in result && result.value !== true)
  const messages = evaluateMessages(evaluator, () => activation('texts'), evaluated.budget, isDenied)
  const decisions = validations.map((expression, index): ValidationDecision => {
    const result = evaluated.results[index]
    if (result === undefined) return admitted
    if ('error' in result) return failed(result.error, isIgnoring)
    if ('exhausted' in messages) return failed(`failed messageExpression: ${messages.exhausted}`, isIgnoring)
    if (result.value === true) return admitted
    const own = texts[index] ?? { message: '', reason: '' }
    return { outcome: 'deny', message: messageOf(messages.results[index], own, expression), reason: own.reason || 'Invalid' }
  })
  if (annotations.length === 0) return { decisions, annotations: [] }
  const annotated = evaluateExpressions(annotations, activation('texts'), policyBudget)
  if ('exhausted' in annotated) return failedWhole(annotated.exhausted, isIgnoring)
  return {
    decisions,
    annotations: annotations.flatMap(({ text }, index) =>
      annotationOf(annotationKeys[index] ?? '', annotated.results[index], text, isIgnoring),
    ),
  }
}
