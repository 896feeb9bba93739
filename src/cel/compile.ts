/**
 * Compiles and evaluates CEL expressions, as kube-apiserver does with cel-go. Evaluation errors are CelError values; nothing is
 * thrown.
 */

import { MissingLookups } from '../meta/lookups.ts'
import { type Activation, COST_LIMIT_EXCEEDED, EvaluationState, type Step } from './activation.ts'
import { childrenOf, type Expression } from './ast.ts'
import { beginBudget, CostLimitExceeded, type WorkBudget } from './budget.ts'
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

/** The result of an evaluation, and its cost in Kubernetes' units. */
export interface Evaluation {
  readonly value: Value
  readonly cost: number
}

/** An executable expression, which may be evaluated many times. */
export class Program {
  readonly #step: Step

  constructor(step: Step) {
    this.#step = step
  }

  /**
   * Evaluates the expression.
   * @param variables the values of the variables. A getter may throw MissingLookups
   * @param limit the cost limit
   * @param work the limit of the work that the cost does not count, shared by the evaluations for one request
   * @returns the value and the cost. The value is a CelError if the evaluation fails, and COST_LIMIT_EXCEEDED, which is compared
   * by identity, if it costs more than `limit`
   * @throws MissingLookups of a variable or of an authorization check
   */
  evaluate(variables: Activation, limit: number, work?: WorkBudget): Evaluation {
    const frame = new EvaluationState(variables, limit)
    beginBudget(work)
    try {
      const value = this.#step(frame)
      return { value: frame.cost > limit ? COST_LIMIT_EXCEEDED : value, cost: frame.cost }
    } catch (error) {
      return { value: failure(error), cost: frame.cost }
    }
  }
}

/** Converts a thrown error: an evaluation throws only if it is too costly, too deep for the stack, or lacks a fact. */
function failure(error: unknown): CelError {
  if (error instanceof MissingLookups) throw error
  if (error instanceof CostLimitExceeded) return COST_LIMIT_EXCEEDED
  return new CelError(`internal error: ${error instanceof Error ? error.message : String(error)}`)
}

/** A type-checked expression. */
export class CheckedExpression {
  readonly #tree: Expression
  readonly #environment: Environment

  constructor(tree: Expression, environment: Environment) {
    this.#tree = tree
    this.#environment = environment
  }

  /** The result type. */
  get type(): CelType {
    return this.#tree.type ?? DYN
  }

  /** Whether the expression refers to a variable. */
  refersTo(variable: string): boolean {
    return refersTo(this.#tree, variable)
  }

  /** Whether the expression reads a field of a variable, as `variable.field` or `variable['field']`. */
  reads(variable: string, field: string): boolean {
    return reads(this.#tree, variable, field)
  }

  /** Estimates the least and greatest cost of an evaluation, from the known sizes of values. */
  estimateCost(sizes: SizeEstimator): CostEstimate {
    try {
      return estimateCost(this.#tree, sizes)
    } catch (error) {
      // An expression that is too deep for the stack has an unknown cost.
      if (error instanceof RangeError) return UNKNOWN
      throw error
    }
  }

  /** Plans the program. Returns the error if a constant part fails. */
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
  // Index and optional selections are calls, whose arguments are the variable and the name.
  if (node.kind === 'call' && isVariable(node.arguments[0], variable) && isText(node.arguments[1], field)) return true
  return childrenOf(node).some((child) => reads(child, variable, field))
}

function refersTo(node: Expression, variable: string): boolean {
  if (node.kind === 'identifier' && node.name === variable) return true
  if (node.kind === 'select' && node.reference?.name === variable) return true
  return childrenOf(node).some((child) => refersTo(child, variable))
}

/** The result of compiling: an expression, or cel-go's text of the errors. */
export type Compiled =
  | { readonly kind: 'expression'; readonly expression: CheckedExpression }
  | { readonly kind: 'issues'; readonly text: string }

/**
 * Parses and checks an expression.
 * @param environment the variables, types, functions and macros that it may use
 * @returns the checked expression, or the issues with cel-go's text. Never throws.
 *
 * @example
 * ```ts
 * const environment = KUBERNETES.extend({ variables: { self: INT } })
 * const compiled = compile('self >= 1', environment)
 * if (compiled.kind === 'issues') throw new Error(`compilation failed: ${compiled.text}`)
 * const program = compiled.expression.plan()
 * if (program instanceof CelError) throw new Error(`program instantiation failed: ${program.message}`)
 * const { value, cost } = program.evaluate({ self: 3 }, 1_000_000) // true
 * ```
 */
export function compile(text: string, environment: Environment): Compiled {
  try {
    return compiled(text, environment)
  } catch (error) {
    // The stack may overflow before the reference's limits are reached.
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

/** Runs a stage with a limit on its work: compiling regular expressions may exceed it. */
function bounded(stage: () => void, issues: Issues): void {
  beginBudget()
  try {
    stage()
  } catch (error) {
    if (!(error instanceof CostLimitExceeded)) throw error
    issues.report(NOWHERE, 'expression is too large')
  }
}
