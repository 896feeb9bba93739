/**
 * The expressions of one policy, compiled once and evaluated in order within a budget of cost. Follows ConditionEvaluator of
 * k8s.io/apiserver/pkg/admission/plugin/cel.
 */

import type { Activation } from '../../../../cel/activation.ts'
import { AdmissionCompiler, type AdmissionExpression, type AdmissionPart } from '../../../../cel/admission.ts'
import { WorkBudget } from '../../../../cel/budget.ts'
import type { Program } from '../../../../cel/compile.ts'
import type { CelType } from '../../../../cel/types.ts'
import { CelError, NO_SUCH_OVERLOAD, OpaqueValue, type Value } from '../../../../cel/value.ts'
import { goQuote } from '../../../../go/text.ts'

/** The cost limit of one evaluation (PerCallLimit). */
export const callLimit = 1_000_000
/** The cost limit of the expressions of a policy for one binding and parameter (RuntimeCELCostBudget). */
export const policyBudget = 10_000_000
/** The cost limit of the match conditions of a policy or webhook (RuntimeCELCostBudgetMatchConditions). */
export const conditionsBudget = 2_500_000

const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run'

/** A compiled expression, or the error that its evaluation gives. */
export interface PolicyExpression {
  /** The text as written, which messages quote. */
  readonly text: string
  readonly compiled: Program | { readonly error: string }
  /** Whether it refers to `namespaceObject`, which is a lookup. */
  readonly needsNamespace: boolean
}

/** A variable of a policy. */
export interface PolicyVariable {
  readonly name: string
  readonly expression: PolicyExpression
}

/** The result of one expression: a value, never a CelError, or an error. */
export type ExpressionResult = { readonly value: Value } | { readonly error: string }

/** The results of a list of expressions, undefined for absent ones; or the error that ended the evaluation of the whole list. */
export type ExpressionResults =
  | { readonly results: readonly (ExpressionResult | undefined)[]; readonly budget: number }
  | { readonly exhausted: string }

function expressionOf(text: string, compiled: AdmissionExpression): PolicyExpression {
  if (compiled.kind !== 'program') return { text, compiled: { error: compiled.text }, needsNamespace: false }
  return { text, compiled: compiled.program, needsNamespace: compiled.checked.refersTo('namespaceObject') }
}

/** Compiles the expressions of one policy; its variables first. */
export class PolicyCompiler {
  readonly #compiler = new AdmissionCompiler('composed')
  readonly #parts: readonly AdmissionPart[]
  readonly #variables = new Map<string, PolicyVariable>()

  /** @param parts the parts of the environment that all expressions share: `params` if the policy has a paramKind */
  constructor(parts: readonly AdmissionPart[]) {
    this.#parts = parts
  }

  /** The variables so far. The last one with a name counts. */
  get variables(): readonly PolicyVariable[] {
    return [...this.#variables.values()]
  }

  addVariable(name: string, text: string): void {
    const compiled = this.#compiler.compileVariable(name, text, [...this.#parts, 'authorizer'])
    this.#variables.set(name, { name, expression: expressionOf(text, compiled) })
  }

  /**
   * Compiles an expression.
   * @param types the types that it may have
   * @param parts further parts of its environment
   */
  compile(text: string, types: readonly CelType[], parts: readonly AdmissionPart[] = ['authorizer']): PolicyExpression {
    return expressionOf(text, this.#compiler.compile(text, [...this.#parts, ...parts], types))
  }
}

/** The value of `variables`: each variable is evaluated when it is first read, with the same activation. */
export class VariablesValue extends OpaqueValue {
  readonly typeName = 'kubernetes.variables'
  readonly #variables: readonly PolicyVariable[]
  readonly #activation: Activation
  readonly #known = new Map<string, Value>()
  #cost = 0
  /** The limit of the work of all expressions with this activation. */
  readonly work = new WorkBudget()

  constructor(variables: readonly PolicyVariable[], activation: Activation) {
    super()
    this.#variables = variables
    this.#activation = activation
  }

  /** Returns the cost of the variables that were evaluated since the last call. */
  takeCost(): number {
    const cost = this.#cost
    this.#cost = 0
    return cost
  }

  override find(name: Value): Value | undefined {
    if (typeof name !== 'string') return NO_SUCH_OVERLOAD
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const variable = this.#variables.find((each) => each.name === name)
    if (variable === undefined) return undefined
    const value = this.#evaluate(variable)
    this.#known.set(name, value)
    return value
  }

  #evaluate({ name, expression: { compiled } }: PolicyVariable): Value {
    if ('error' in compiled) return new CelError(`composited variable ${goQuote(name)} fails to compile: ${compiled.error}`)
    const { value, cost } = compiled.evaluate(this.#activation, callLimit, this.work)
    this.#cost += cost
    if (!(value instanceof CelError)) return value
    return new CelError(`composited variable ${goQuote(name)} fails to evaluate: ${value.message}`)
  }

  equals(other: Value): boolean | CelError {
    return other instanceof VariablesValue ? other === this : NO_SUCH_OVERLOAD
  }

  show(): string {
    return this.typeName
  }
}

/** The values of a list of expressions. */
export interface PolicyActivation {
  readonly activation: Activation
  readonly variables: VariablesValue
}

/** Makes the activation of a list of expressions. @param activation without `variables`, which is added to it */
export function policyActivation(activation: Record<string, Value>, variables: readonly PolicyVariable[]): PolicyActivation {
  const lazy = new VariablesValue(variables, activation)
  activation.variables = lazy
  return { activation, variables: lazy }
}

/**
 * Evaluates expressions in order.
 * @param budget the cost that all of them may have together
 * @throws MissingLookups
 */
export function evaluateExpressions(
  expressions: readonly (PolicyExpression | undefined)[],
  { activation, variables }: PolicyActivation,
  budget: number,
): ExpressionResults {
  let left = budget
  const results: (ExpressionResult | undefined)[] = []
  for (const expression of expressions) {
    if (expression === undefined) results.push(undefined)
    else if ('error' in expression.compiled) results.push({ error: `compilation error: ${expression.compiled.error}` })
    else {
      const { value, cost } = expression.compiled.evaluate(activation, callLimit, variables.work)
      left -= variables.takeCost() + cost
      if (left < 0) return { exhausted: outOfBudget }
      results.push(
        value instanceof CelError ? { error: `expression '${expression.text}' resulted in error: ${value.message}` } : { value },
      )
    }
  }
  return { results, budget: left }
}
