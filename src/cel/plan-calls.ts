/** Plans calls of operators and functions. */

import { constantPlan, type Plan, type Step } from './activation.ts'
import type { Call } from './ast.ts'
import { equals } from './compare.ts'
import { type CallCost, callCost } from './cost.ts'
import type { Overload } from './declarations.ts'
import { BINARY, type Binary, isReceiver, SMALL, UNARY } from './operators.ts'
import { matchesType } from './runtime-types.ts'
import { CelError, errorOr, type ListValue, NO_SUCH_OVERLOAD, OptionalValue, typeNameOf, type Value } from './value.ts'
import { workOf } from './work.ts'

/** Returns the overload ID if a call has a single overload, else ''. */
function overloadOf(node: Call): string {
  const [only, ...others] = node.overloads ?? []
  return only === undefined || others.length > 0 ? '' : only.id
}

/** Plans `&&` or `||`: a deciding value takes precedence over errors on the other side. */
export function logicalStep(left: Step, right: Step, decisive: boolean): Step {
  return (frame) => {
    const a = left(frame)
    if (a === decisive) return decisive
    const b = right(frame)
    if (b === decisive) return decisive
    if (typeof a !== 'boolean') return errorOr(a)
    return typeof b === 'boolean' ? !decisive : errorOr(b)
  }
}

/** Plans a binary operator. */
export function binaryStep(node: Call, left: Step, right: Step): Step | undefined {
  const operator = BINARY.get(node.name)
  if (operator === undefined) return undefined
  const cost = callCost(node.name, overloadOf(node))
  const small = SMALL.get(node.name)
  if (small !== undefined) return comparisonStep(operator, small, cost, left, right)
  return (frame) => {
    const a = left(frame)
    const b = right(frame)
    const result = a instanceof CelError ? a : b instanceof CelError ? b : operator(a, b)
    frame.cost += cost === undefined ? 1 : cost([a, b], result)
    return result
  }
}

function comparisonStep(
  operator: Binary,
  small: (a: number, b: number) => boolean,
  cost: CallCost | undefined,
  left: Step,
  right: Step,
): Step {
  return (frame) => {
    const a = left(frame)
    const b = right(frame)
    if (typeof a === 'number' && typeof b === 'number') {
      frame.cost++
      return small(a, b)
    }
    const result = a instanceof CelError ? a : b instanceof CelError ? b : operator(a, b)
    frame.cost += cost === undefined ? 1 : cost([a, b], result)
    return result
  }
}

/** Plans a unary operator. */
export function unaryStep(node: Call, operand: Step): Step | undefined {
  if (node.name === '@not_strictly_false') return guardStep(operand)
  const operator = UNARY.get(node.name)
  if (operator === undefined) return undefined
  return (frame) => {
    const value = operand(frame)
    frame.cost++
    return value instanceof CelError ? value : operator(value)
  }
}

function guardStep(operand: Step): Step {
  return (frame) => {
    const value = operand(frame)
    frame.cost++
    return typeof value === 'boolean' ? value : true
  }
}

const isPrimitive = (value: Value): boolean => ['string', 'number', 'bigint', 'boolean'].includes(typeof value)

/** Plans a membership test in a list of constants, which costs nothing beyond its left operand. */
export function membershipPlan(value: Step, list: ListValue): Plan | undefined {
  if (list.size === 0) return constantPlan(false)
  const elements = Array.from({ length: list.size }, (_, i) => list.at(i))
  if (!elements.every(isPrimitive)) return undefined
  const set = new Set(elements)
  const step: Step = (frame) => {
    const wanted = value(frame)
    if (wanted instanceof CelError) return wanted
    return isPrimitive(wanted) ? set.has(wanted) : elements.some((element) => equals(wanted, element) === true)
  }
  return { step }
}

/** Plans `or` or `orValue`: the right side is computed only if the left one has no value; they cost nothing themselves. */
export function alternativeStep(what: 'or' | 'orValue', left: Step, right: Step): Step {
  return (frame) => {
    const optional = left(frame)
    if (!(optional instanceof OptionalValue)) return optional
    if (optional.value === undefined) return right(frame)
    return what === 'or' ? optional : optional.value
  }
}

/** Returns the overload for these arguments, among those that the checker left. */
function dispatch(overloads: readonly Overload[], args: readonly Value[]): Overload | undefined {
  return overloads.find(
    ({ parameters }) =>
      parameters.length === args.length && parameters.every((parameter, i) => matchesType(parameter, args[i] ?? null)),
  )
}

/** The functions that cel-go finds by a trait of the first argument: error messages do not list the argument types. */
const BY_TRAIT: ReadonlySet<string> = new Set(['matches', 'size'])

/** The functions of a receiver, whose error messages do not even name them. */
const TERSE: ReadonlySet<string> = new Set(['contains', 'endsWith', 'startsWith'])

function noOverload(name: string, args: readonly Value[]): CelError {
  if (TERSE.has(name)) return NO_SUCH_OVERLOAD
  if (!BY_TRAIT.has(name)) return new CelError(`no such overload: ${name}(${args.map(typeNameOf).join(', ')})`)
  return isReceiver(args[0] ?? null) ? NO_SUCH_OVERLOAD : new CelError(`no such overload: ${name}`)
}

/** Whether a call stops at the first argument that is an error, or evaluates all; only in the latter case an error has a cost. */
export type Errors = 'first' | 'last'

/** The properties of a planned call. */
export interface CallForm {
  readonly errors: Errors
  /** Whether it has a constant regular expression, which is compiled at plan time: its errors are terse. */
  readonly hasPattern: boolean
}

/** Plans a call of a library function with its arguments, the target first. */
export function functionStep(node: Call, args: readonly Step[], form: CallForm): Step {
  const { name, overloads = [] } = node
  const { errors, hasPattern } = form
  const cost = callCost(name, overloadOf(node))
  const countWork = workOf(name)
  const apply = (values: readonly Value[]): Value => {
    const compute = dispatch(overloads, values)?.compute
    if (compute !== undefined) {
      countWork(values)
      return compute(values)
    }
    return hasPattern ? NO_SUCH_OVERLOAD : noOverload(name, values)
  }
  return (frame) => {
    const values: Value[] = []
    let wrong: CelError | undefined
    for (const arg of args) {
      const value = arg(frame)
      values.push(value)
      if (value instanceof CelError) {
        wrong ??= value
        if (errors === 'first') break
      }
    }
    const result = wrong ?? apply(values)
    if (values.length === args.length) frame.cost += cost === undefined ? 1 : cost(values, result)
    frame.checkCost()
    return result
  }
}

/** The type conversions, which are computed at plan time if their argument is constant. */
export const CONVERSIONS: ReadonlySet<string> = new Set(
  'bool bytes double duration dyn int string timestamp type uint'.split(' '),
)
