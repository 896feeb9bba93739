/** Expressions that an operator writes to say who somebody is or whom to ask: compiled once, evaluated within a bound. */
import { ArrayList, EntryMap } from '../cel/collections.ts'
import { type CheckedExpression, compile, type Program } from '../cel/compile.ts'
import type { Environment } from '../cel/environment.ts'
import { CelError, type Value } from '../cel/value.ts'

/** What one evaluation may cost, in Kubernetes' units. */
const costLimit = 10_000_000

/** An expression, ready to be evaluated. */
export interface ReadyExpression {
  readonly text: string
  readonly checked: CheckedExpression
  readonly program: Program
}

/**
 * Compiles an expression.
 * @param results the kinds of types that it may give
 * @throws Error with the text of what is wrong with it
 */
export function readyExpression(text: string, environment: Environment, results: readonly string[]): ReadyExpression {
  const compiled = compile(text, environment)
  if (compiled.kind === 'issues') throw new Error(`compilation failed: ${compiled.text}`)
  const { expression } = compiled
  if (!results.includes(expression.type.kind)) throw new Error(`must evaluate to ${results[0]}`)
  const program = expression.plan()
  if (program instanceof CelError) throw new Error(`program instantiation failed: ${program.message}`)
  return { text, checked: expression, program }
}

/** What an expression gives for a variable. Throws Error where it fails. */
export function evaluated({ program, text }: ReadyExpression, variable: string, value: Value): Value {
  const result = program.evaluate({ [variable]: value }, costLimit).value
  if (result instanceof CelError) throw new Error(`expression '${text}' resulted in error: ${result.message}`)
  return result
}

/** Lists of texts by names, as expressions have them. */
export const textsByName = (of: Readonly<Record<string, readonly string[]>>): Value =>
  EntryMap.of(Object.entries(of).map(([key, values]) => [key, new ArrayList([...values])]))
