/**
 * CEL expressions of the operator's configuration (claim mappings, match conditions): compiled once, evaluated within a cost
 * limit.
 */
import { ArrayList, EntryMap } from '../cel/collections.ts'
import { type CheckedExpression, compile, type Program } from '../cel/compile.ts'
import type { Environment } from '../cel/environment.ts'
import { CelError, type Value } from '../cel/value.ts'

/** The maximum cost of one evaluation, in Kubernetes' cost units. */
const costLimit = 10_000_000

/** A compiled expression. */
export interface CompiledExpression {
  readonly text: string
  readonly checked: CheckedExpression
  readonly program: Program
}

/**
 * Compiles an expression.
 * @param results the kinds of types that the expression may evaluate to
 * @throws Error with the compilation error
 */
export function compileExpression(text: string, environment: Environment, results: readonly string[]): CompiledExpression {
  const compiled = compile(text, environment)
  if (compiled.kind === 'issues') throw new Error(`compilation failed: ${compiled.text}`)
  const { expression } = compiled
  if (!results.includes(expression.type.kind)) throw new Error(`must evaluate to ${results[0]}`)
  const program = expression.plan()
  if (program instanceof CelError) throw new Error(`program instantiation failed: ${program.message}`)
  return { text, checked: expression, program }
}

/**
 * Evaluates an expression with one variable.
 * @throws Error if the evaluation fails
 */
export function evaluateExpression({ program, text }: CompiledExpression, variable: string, value: Value): Value {
  const result = program.evaluate({ [variable]: value }, costLimit).value
  if (result instanceof CelError) throw new Error(`expression '${text}' resulted in error: ${result.message}`)
  return result
}

/** Converts a record of string lists to a CEL map. */
export const stringListMap = (lists: Readonly<Record<string, readonly string[]>>): Value =>
  EntryMap.of(Object.entries(lists).map(([key, values]) => [key, new ArrayList([...values])]))
