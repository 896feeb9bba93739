/**
 * Compiles expressions of CEL and evaluates them, as kube-apiserver does with cel-go.
 *
 *     const declared = declaredType(schema, 'self', 'part')
 *     const environment = KUBERNETES.extend({ variables: { self: declared.type }, objects: objectsWithin(declared) })
 *     const compiled = compile('self.minReplicas <= self.replicas', environment)
 *     if (compiled.kind === 'issues') throw new Error(`compilation failed: ${compiled.text}`)
 *     const program = compiled.expression.plan()
 *     if (program instanceof CelError) throw new Error(`program instantiation failed: ${program.message}`)
 *     const read = schemaReader(schema, 'part')
 *     const { value, cost } = program.evaluate({ self: read(object) }, 1_000_000)
 *
 * Nothing throws out of here: what fails to evaluate gives a CelError as its value.
 */

import { type Activation, COST_LIMIT_EXCEEDED, Frame, type Step } from './activation.ts'
import { childrenOf, type Expression } from './ast.ts'
import { beginBudget, CostLimitExceeded } from './budget.ts'
import { check } from './check.ts'
import type { Environment } from './environment.ts'
import { type CostEstimate, estimateCost, type SizeEstimator } from './estimate.ts'
import { UNKNOWN } from './estimate-range.ts'
import { parse } from './parse.ts'
import { PlanError, planSteps } from './plan.ts'
import { Issues, NOWHERE, Source } from './source.ts'
import { type CelType, DYN } from './types.ts'
import { validate } from './validate.ts'
import { CelError, type Value } from './value.ts'

/** What an evaluation gave, and its cost in Kubernetes' units. */
export interface Evaluation {
  readonly value: Value
  readonly cost: number
}

/** An expression that is ready to be evaluated, as often as one likes. */
export class Program {
  readonly #step: Step

  constructor(step: Step) {
    this.#step = step
  }

  /**
   * Evaluates with these values of the variables. What fails gives a CelError; what costs more than `limit` gives COST_LIMIT_EXCEEDED,
   * which is compared by identity.
   */
  evaluate(variables: Activation, limit: number): Evaluation {
    const frame = new Frame(variables, limit)
    beginBudget()
    try {
      const value = this.#step(frame)
      return { value: frame.cost > limit ? COST_LIMIT_EXCEEDED : value, cost: frame.cost }
    } catch (error) {
      return { value: failure(error), cost: frame.cost }
    }
  }
}

/** An evaluation only throws where it became too costly, or too deep for the stack. */
function failure(error: unknown): CelError {
  if (error instanceof CostLimitExceeded) return COST_LIMIT_EXCEEDED
  return new CelError(`internal error: ${error instanceof Error ? error.message : String(error)}`)
}

/** An expression whose types have been checked. */
export class CheckedExpression {
  readonly #tree: Expression
  readonly #environment: Environment

  constructor(tree: Expression, environment: Environment) {
    this.#tree = tree
    this.#environment = environment
  }

  /** The type of what the expression gives. */
  get type(): CelType {
    return this.#tree.type ?? DYN
  }

  /** Whether the expression names a variable. */
  refersTo(variable: string): boolean {
    return refersTo(this.#tree, variable)
  }

  /** Whether the expression reads a field of a variable, be it as `variable.field` or by its name in brackets. */
  reads(variable: string, field: string): boolean {
    return reads(this.#tree, variable, field)
  }

  /** The least and the most that an evaluation can cost, as far as the sizes of values are known. */
  estimateCost(sizes: SizeEstimator): CostEstimate {
    try {
      return estimateCost(this.#tree, sizes)
    } catch (error) {
      // What nests too deep for the stack is as costly as can be.
      if (error instanceof RangeError) return UNKNOWN
      throw error
    }
  }

  /** The program, or why there can be none: a part that is constant fails. */
  plan(): Program | CelError {
    beginBudget()
    try {
      return new Program(planSteps(this.#tree, this.#environment))
    } catch (error) {
      return error instanceof PlanError ? new CelError(error.message) : failure(error)
    }
  }
}

const isVariable = (node: Expression | undefined, name: string): boolean => node?.kind === 'identifier' && node.name === name

const isText = (node: Expression | undefined, text: string): boolean => node?.kind === 'literal' && node.value === text

function reads(node: Expression, variable: string, field: string): boolean {
  if (node.kind === 'select' && node.field === field && isVariable(node.operand, variable)) return true
  // Brackets and what is optional are calls, whose arguments are the variable and the name.
  if (node.kind === 'call' && isVariable(node.arguments[0], variable) && isText(node.arguments[1], field)) return true
  return childrenOf(node).some((child) => reads(child, variable, field))
}

function refersTo(node: Expression, variable: string): boolean {
  if (node.kind === 'identifier' && node.name === variable) return true
  if (node.kind === 'select' && node.reference?.name === variable) return true
  return childrenOf(node).some((child) => refersTo(child, variable))
}

/** What became of a text: an expression, or cel-go's text of what is wrong with it. */
export type Compiled =
  | { readonly kind: 'expression'; readonly expression: CheckedExpression }
  | { readonly kind: 'issues'; readonly text: string }

/** Reads and checks an expression. */
export function compile(text: string, environment: Environment): Compiled {
  try {
    return compiled(text, environment)
  } catch (error) {
    // The stack may end before the reference's limits are reached.
    if (!(error instanceof RangeError)) throw error
    const issues = new Issues(new Source(text))
    issues.report(NOWHERE, 'max recursion depth exceeded')
    return { kind: 'issues', text: issues.format() }
  }
}

function compiled(text: string, environment: Environment): Compiled {
  const parsed = parse(text, environment.macros)
  if (parsed.kind === 'issues') return { kind: 'issues', text: parsed.issues.format() }
  for (const stage of [check, validate]) {
    const issues = new Issues(new Source(text))
    bounded(() => stage(parsed.tree, environment, issues), issues)
    if (issues.count > 0) return { kind: 'issues', text: issues.format() }
  }
  return { kind: 'expression', expression: new CheckedExpression(parsed.tree, environment) }
}

/** Does what is not more than a server can bear: regular expressions may be. */
function bounded(stage: () => void, issues: Issues): void {
  beginBudget()
  try {
    stage()
  } catch (error) {
    if (!(error instanceof CostLimitExceeded)) throw error
    issues.report(NOWHERE, 'expression is too large')
  }
}
