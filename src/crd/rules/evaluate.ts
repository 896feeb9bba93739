/**
 * Evaluates the rules of a schema for an object, within a cost budget. Follows the Validator of apiextensions-apiserver's
 * schema/cel.
 */

import { COST_LIMIT_EXCEEDED } from '../../cel/activation.ts'
import { WorkBudget } from '../../cel/budget.ts'
import type { Program } from '../../cel/compile.ts'
import { CelError, NONE, OptionalValue, type Value } from '../../cel/value.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { goQuote, utf8Length } from '../../go/text.ts'
import { duplicate, type FieldError, forbiddenValue, invalidValue, required } from '../../meta/field-error.ts'
import type { ValidationRule } from '../json-schema.ts'
import type { Correlation } from '../schema/correlation.ts'
import { identityOfItem } from '../schema/list-types.ts'
import { childPath } from '../schema/path.ts'
import type { CompiledRule } from './compile-rule.ts'
import type { RuleTree } from './rule-tree.ts'

/** The cost limit of one evaluation, and of all evaluations for one object. */
const callLimit = 1_000_000
const budget = 10_000_000
/** The maximum length of a message. */
const longestMessage = 5 * 1024

/** A value with the correlation to its old value: its own, or that of the nearest correlated ancestor. */
interface Place {
  readonly path: string
  readonly value: JsonValue
  /** Undefined if the old value does not exist or cannot be correlated. */
  readonly old: JsonValue | undefined
  readonly own: Correlation | undefined
  readonly around: Correlation | undefined
}

/** The failed rules, and those that are only warnings because the value has not changed. */
export interface RuleFindings {
  readonly errors: FieldError[]
  readonly warnings: string[]
}

const textOf = ({ rule, message = '' }: ValidationRule): string => (message === '' ? rule.trim() : message.trim())

/** Go's text for an empty root path. */
const shownPath = (path: string): string => (path === '' ? '<nil>' : path)

/** The result of a message expression. */
type Message =
  | { readonly outcome: 'text'; readonly text: string }
  | { readonly outcome: 'none' }
  | { readonly outcome: 'over'; readonly text: string }

class Evaluation {
  readonly findings: RuleFindings = { errors: [], warnings: [] }
  /** The remaining budget. If it is negative, the evaluation stops. */
  #left = budget
  readonly #work = new WorkBudget()

  visit(tree: RuleTree, place: Place): void {
    if (place.value === null) return
    this.#rules(tree, place)
    if (this.#left < 0) return
    if (Array.isArray(place.value)) this.#items(tree, place, place.value)
    else if (isObject(place.value)) this.#keys(tree, place, place.value)
  }

  #items(tree: RuleTree, place: Place, list: readonly JsonValue[]): void {
    const { items, schema } = tree
    if (items === undefined) return
    const isKeyed = schema['x-kubernetes-list-type'] === 'map'
    const names = schema['x-kubernetes-list-map-keys'] ?? []
    const before = isKeyed && Array.isArray(place.old) ? place.old : []
    const olds = new Map(before.map((item) => [identityOfItem(item, names), item]))
    for (const [i, value] of list.entries()) {
      if (this.#left < 0) return
      const old = olds.size === 0 ? undefined : olds.get(identityOfItem(value, names))
      this.visit(items, { path: `${place.path}[${i}]`, value, old, ...below(place, place.own?.index(i)) })
    }
  }

  #keys(tree: RuleTree, place: Place, object: JsonObject): void {
    const { additional, properties } = tree
    const old = place.old !== undefined && isObject(place.old) ? place.old : undefined
    const visit = (child: RuleTree, key: string, path: string): void => {
      if (this.#left < 0) return
      const isTypeMeta = place.around === undefined && (key === 'apiVersion' || key === 'kind')
      const correlations = isTypeMeta ? noCorrelation : below(place, place.own?.key(key))
      this.visit(child, { path, value: object[key] ?? null, old: old?.[key], ...correlations })
    }
    if (additional !== undefined) for (const key of Object.keys(object)) visit(additional, key, `${place.path}[${key}]`)
    for (const [key, child] of properties) if (Object.hasOwn(object, key)) visit(child, key, childPath(place.path, key))
  }

  #rules(tree: RuleTree, place: Place): void {
    const { rules, failure, schema } = tree
    const { type = '' } = schema
    if (failure !== undefined) {
      this.#invalid(place, type, `rule compiler initialization error: ${failure}`)
      return
    }
    if (rules.length === 0) return
    if (this.#left <= 0) {
      this.#invalid(place, type, 'validation failed due to running out of cost budget, no further validation rules will be run')
      this.#left = -1
      return
    }
    const self = tree.read(place.value)
    const hasOld = tree.usesOldSelf && place.old !== undefined && place.old !== null
    const oldSelf = hasOld ? tree.read(place.old ?? null) : undefined
    for (const [i, rule] of rules.entries()) {
      if (this.#left < 0) return
      this.#rule(tree, rule, tree.fieldPaths[i] ?? '', place, self, oldSelf)
    }
  }

  #rule(tree: RuleTree, compiled: CompiledRule, fieldPath: string, place: Place, self: Value, oldSelf: Value | undefined): void {
    const { rule, expression, usesOldSelf } = compiled
    const { type = '' } = tree.schema
    if ('error' in expression) {
      this.#invalid(place, type, `rule compile error: ${expression.error}`)
      return
    }
    const isOptional = rule.optionalOldSelf === true
    if (usesOldSelf && oldSelf === undefined && !isOptional) return
    const variables = variablesOf(self, oldSelf, usesOldSelf && isOptional)
    const { value, cost } = expression.program.evaluate(variables, callLimit, this.#work)
    if (value instanceof CelError) {
      if (!this.#spend(value === COST_LIMIT_EXCEEDED ? 0 : cost, place, type)) return
      this.#failure(value, rule, place, type)
      return
    }
    if (!this.#spend(cost, place, type) || value === true) return
    this.#broken(tree, compiled, fieldPath, place, variablesOf(self, oldSelf, false))
  }

  #spend(cost: number, place: Place, type: string): boolean {
    if (cost <= this.#left) {
      this.#left -= cost
      return true
    }
    this.#invalid(place, type, 'validation failed due to running out of cost budget, no further validation rules will be run')
    this.#left = -1
    return false
  }

  #failure(error: CelError, rule: ValidationRule, place: Place, type: string): void {
    const { message } = error
    const text = textOf(rule)
    if (error === COST_LIMIT_EXCEEDED) {
      const detail = `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${text}`
      this.#invalid(place, type, detail)
      this.#left = -1
    } else if (message.startsWith('no such overload')) {
      const detail = `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${text}`
      this.#invalid(place, type, detail)
    } else this.#invalid(place, type, `${message} evaluating rule: ${text}`)
  }

  #broken(
    tree: RuleTree,
    { rule, message, usesOldSelf }: CompiledRule,
    fieldPath: string,
    place: Place,
    variables: Readonly<Record<string, Value>>,
  ): void {
    const path = fieldPath === '' ? place.path : childPath(place.path, fieldPath)
    const isLetPass = !usesOldSelf && isUnchanged(place)
    const add = (error: FieldError): void => {
      if (isLetPass) this.findings.warnings.push(`${error.field}: ${error.text}`)
      else this.findings.errors.push(error)
    }
    const { type = '' } = tree.schema
    const result = message === undefined || 'error' in message ? none : this.#message(message.program, rule, variables)
    if (result.outcome === 'over') {
      add(invalidValue(shownPath(path), type, result.text))
      this.#left = -1
      return
    }
    const { message: written = '' } = rule
    const detail = result.outcome === 'text' ? result.text : written === '' ? `failed rule: ${textOf(rule)}` : written.trim()
    add(ruleError(shownPath(path), type === 'object' || type === 'array' ? omitted : place.value, detail, rule.reason))
  }

  #message(program: Program, { messageExpression = '' }: ValidationRule, variables: Readonly<Record<string, Value>>): Message {
    const { value, cost } = program.evaluate(variables, callLimit, this.#work)
    if (value === COST_LIMIT_EXCEEDED) {
      const why = 'no further validation rules will be run due to call cost exceeds limit for messageExpression'
      return { outcome: 'over', text: `${why}: ${goQuote(messageExpression)}` }
    }
    if (cost > this.#left) {
      const text =
        'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run'
      return { outcome: 'over', text }
    }
    this.#left -= cost
    if (typeof value !== 'string') return none
    const text = value.trim()
    return text === '' || text.includes('\n') || utf8Length(text) > longestMessage ? none : { outcome: 'text', text }
  }

  #invalid({ path }: Place, type: string, text: string): void {
    this.findings.errors.push(invalidValue(shownPath(path), type, text))
  }
}

const none: Message = { outcome: 'none' }
const noCorrelation = { own: undefined, around: undefined }

/** Returns the correlations of a child: without its own, it uses its nearest correlated ancestor. */
function below(place: Place, own: Correlation | undefined): Pick<Place, 'own' | 'around'> {
  return place.own === undefined ? { own: undefined, around: place.around } : { own, around: place.own }
}

const isUnchanged = ({ own, around }: Place): boolean => (own ?? around)?.isUnchanged === true

function variablesOf(self: Value, oldSelf: Value | undefined, isOptional: boolean): Readonly<Record<string, Value>> {
  if (isOptional) return { self, oldSelf: oldSelf === undefined ? NONE : new OptionalValue(oldSelf) }
  return oldSelf === undefined ? { self } : { self, oldSelf }
}

/** Messages omit the value of objects and lists. */
const omitted = Symbol('omitted')

function ruleError(field: string, value: JsonValue | typeof omitted, detail: string, reason: string | undefined): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbiddenValue(field, detail)
    case 'FieldValueRequired':
      return required(field, detail)
    case 'FieldValueDuplicate':
      return value === omitted ? { reason: 'FieldValueDuplicate', field, text: 'Duplicate value' } : duplicate(field, value)
    default:
      return value === omitted
        ? { reason: 'FieldValueInvalid', field, text: `Invalid value: ${detail}` }
        : invalidValue(field, value, detail)
  }
}

/** Evaluates the rules. `old` is undefined for a new object; `correlation` finds unchanged values. */
export function evaluateRules(
  tree: RuleTree | undefined,
  value: JsonValue,
  old: JsonValue | undefined,
  path: string,
  correlation: Correlation | undefined,
): RuleFindings {
  if (tree === undefined) return { errors: [], warnings: [] }
  const evaluation = new Evaluation()
  evaluation.visit(tree, { path, value, old, own: correlation, around: undefined })
  return evaluation.findings
}
