/** Plans a checked tree: turns it into closures that compute its value without visiting the tree again. */

import { constantPlan, EvaluationState, type Plan, type Step } from './activation.ts'
import {
  type Call,
  type Comprehension,
  type Expression,
  type Identifier,
  isBinding,
  type ListLiteral,
  type MapLiteral,
  plainName,
  type Select,
  type StructLiteral,
} from './ast.ts'
import { ArrayList, EntryMap } from './collections.ts'
import { LIST_COST, MAP_COST, STRUCT_COST } from './cost.ts'
import type { Environment, ObjectDeclaration } from './environment.ts'
import { formatValue } from './format-value.ts'
import { type Attribute, keyError, type Qualifier, qualified, resolveStep } from './plan-attributes.ts'
import { alternativeStep, binaryStep, CONVERSIONS, functionStep, logicalStep, membershipPlan, unaryStep } from './plan-calls.ts'
import { bindingStep, foldStep, type Local } from './plan-folds.ts'
import { compileRegex } from './regex.ts'
import { isDyn, optionalElement } from './types.ts'
import { CelError, ListValue, OptionalValue, type Value } from './value.ts'

/** The error of a constant part, with cel-go's message. */
export class PlanError extends Error {}

/** The variables of enclosing comprehensions, innermost first. */
interface Scope {
  readonly names: ReadonlyMap<string, Local>
  readonly outer: Scope | undefined
}

/** Whether a node's value may be an optional. */
function mayBeOptional(node: Expression): boolean {
  const { type } = node
  return type === undefined || isDyn(type) || optionalElement(type) !== undefined
}

/** The functions whose second argument is a regular expression. */
const MATCHERS: ReadonlySet<string> = new Set(['matches', 'find', 'findAll'])

class Planner {
  readonly #environment: Environment
  #scope: Scope | undefined
  #locals = 0

  constructor(environment: Environment) {
    this.#environment = environment
  }

  step(node: Expression): Step {
    return this.plan(node).step
  }

  plan(node: Expression): Plan {
    switch (node.kind) {
      case 'literal':
        return constantPlan(node.value)
      case 'identifier':
        return this.#identifier(node)
      case 'select':
        return node.reference === undefined ? this.#attributePlan(node) : this.#identifier(node.reference)
      case 'call':
        return this.#call(node)
      case 'list':
        return this.#list(node)
      case 'map':
        return this.#map(node)
      case 'struct':
        return this.#struct(node)
      case 'comprehension':
        return { step: this.#comprehension(node) }
      case 'unreadable':
        throw new PlanError('unsupported expr')
    }
  }

  #identifier(node: Identifier): Plan {
    if (node.constant !== undefined) return constantPlan(node.constant)
    if (node.type?.kind === 'type') throw new PlanError(`reference to undefined type: ${plainName(node.name)}`)
    return this.#attributePlan(node)
  }

  /** Plans an attribute as a value: it costs a unit, a conditional nothing beyond its parts. */
  #attributePlan(node: Expression): Plan {
    const attribute = this.#attribute(node)
    const resolve = resolveStep(attribute)
    if (attribute.kind === 'choice' || (node.kind === 'select' && node.test)) return { step: resolve }
    const step: Step = (frame) => {
      frame.cost++
      return resolve(frame)
    }
    return { step }
  }

  #attribute(node: Expression): Attribute {
    if (node.kind === 'identifier' && node.constant === undefined) return this.#root(node, this.#variable(node.name))
    if (node.kind === 'select') return this.#selection(node)
    if (node.kind === 'call') {
      const [first, second, third] = node.arguments
      if (node.name === '_?_:_' && first !== undefined && second !== undefined && third !== undefined)
        return this.#choice(first, second, third)
      const mode = { '_[_]': 'plain', '_[?_]': 'optional', '_?._': 'optional' } as const
      if (isIndex(node.name) && first !== undefined && second !== undefined)
        return qualified(this.#attribute(first), this.#qualifier(second, mode[node.name]))
    }
    return this.#root(node, this.step(node))
  }

  #root(node: Expression, root: Step): Attribute {
    return { kind: 'root', root, mayBeOptional: mayBeOptional(node), qualifiers: [] }
  }

  #selection(node: Select): Attribute {
    if (node.reference !== undefined) {
      const { constant, name } = node.reference
      return this.#root(node.reference, constant === undefined ? this.#variable(name) : () => constant)
    }
    return qualified(this.#attribute(node.operand), { key: node.field, mode: node.test ? 'test' : 'plain' })
  }

  #choice(condition: Expression, whenTrue: Expression, whenFalse: Expression): Attribute {
    return {
      kind: 'choice',
      condition: this.step(condition),
      whenTrue: this.#attribute(whenTrue),
      whenFalse: this.#attribute(whenFalse),
    }
  }

  /** Plans the key of an index. An attribute as key costs nothing beyond the qualifier's unit. */
  #qualifier(key: Expression, mode: Qualifier['mode']): Qualifier {
    const { constant } = this.plan(key)
    const wrong = constant === undefined ? undefined : keyError(constant)
    if (wrong !== undefined) throw new PlanError(wrong.message)
    return { key: constant ?? resolveStep(this.#attribute(key)), mode }
  }

  #variable(name: string): Step {
    const plain = plainName(name)
    for (let scope = this.#scope; scope !== undefined; scope = scope.outer) {
      const local = scope.names.get(plain)
      if (local !== undefined) return local.read
    }
    const missing = new CelError(`no such attribute(s): ${plain}`)
    return (frame) => frame.variables[plain] ?? (Object.hasOwn(frame.variables, plain) ? null : missing)
  }

  #call(node: Call): Plan {
    if (node.name === '_?_:_' || isIndex(node.name)) return this.#attributePlan(node)
    const nodes = node.target === undefined ? node.arguments : [node.target, ...node.arguments]
    const plans = nodes.map((argument) => this.plan(argument))
    const steps = plans.map((plan) => plan.step)
    const [left, right] = steps
    if (left !== undefined && right !== undefined && steps.length === 2) {
      const plan = this.#twoSided(node, left, right, plans[1]?.constant)
      if (plan !== undefined) return plan
    }
    const hasPattern = this.#checkPattern(node.name, plans[1]?.constant)
    const unary = left !== undefined && steps.length === 1 ? unaryStep(node, left) : undefined
    const errors = steps.length > 2 || hasPattern ? 'first' : 'last'
    const step = unary ?? functionStep(node, steps, { errors, hasPattern })
    const known = steps.length === 1 && CONVERSIONS.has(node.name) && plans[0]?.constant !== undefined
    return known ? constantPlan(computed(step)) : { step }
  }

  /** Whether a call has a constant regular expression, which must be valid. */
  #checkPattern(name: string, pattern: Value | undefined): boolean {
    if (!MATCHERS.has(name) || typeof pattern !== 'string') return false
    const compiled = compileRegex(pattern)
    if (compiled instanceof CelError) throw new PlanError(compiled.message)
    return true
  }

  #twoSided(node: Call, left: Step, right: Step, constant: Value | undefined): Plan | undefined {
    if (node.name === '_&&_' || node.name === '_||_') return { step: logicalStep(left, right, node.name === '_||_') }
    if (
      node.name === '@in' &&
      constant instanceof ListValue &&
      node.overloads?.length === 1 &&
      node.overloads[0]?.id === 'in_list'
    ) {
      const plan = membershipPlan(left, constant)
      if (plan !== undefined) return plan
    }
    if (node.target !== undefined && (node.name === 'or' || node.name === 'orValue'))
      return { step: alternativeStep(node.name, left, right) }
    const step = node.target === undefined ? binaryStep(node, left, right) : undefined
    return step === undefined ? undefined : { step }
  }

  #list({ elements }: ListLiteral): Plan {
    const plans = elements.map(({ value, optional }) => ({ ...this.plan(value), optional }))
    const build: Step = (frame) => {
      const values: Value[] = []
      for (const { step, optional } of plans) {
        const value = step(frame)
        if (value instanceof CelError) return value
        if (!optional) values.push(value)
        else if (!(value instanceof OptionalValue))
          return new CelError(`cannot initialize optional list element from non-optional value ${formatValue(value)}`)
        else if (value.value !== undefined) values.push(value.value)
      }
      return new ArrayList(values)
    }
    if (plans.every((plan) => plan.constant !== undefined)) return constantPlan(computed(build))
    return { step: costing(LIST_COST, build) }
  }

  #map({ entries }: MapLiteral): Plan {
    const plans = entries.map(({ key, value, optional }) => ({ key: this.plan(key), value: this.plan(value), optional }))
    const build: Step = (frame) => {
      const pairs: [Value, Value][] = []
      for (const plan of plans) {
        const key = plan.key.step(frame)
        if (key instanceof CelError) return key
        const value = plan.value.step(frame)
        if (value instanceof CelError) return value
        if (!plan.optional) pairs.push([key, value])
        else if (!(value instanceof OptionalValue)) return notOptional(formatValue(key), value)
        else if (value.value !== undefined) pairs.push([key, value.value])
      }
      return EntryMap.of(pairs)
    }
    if (plans.every(({ key, value }) => key.constant !== undefined && value.constant !== undefined))
      return constantPlan(computed(build))
    return { step: costing(MAP_COST, build) }
  }

  #struct(node: StructLiteral): Plan {
    const object = this.#environment.object(node.name)
    const make = object?.make ?? (() => new CelError(`unknown type '${node.name}'`))
    const fields = node.fields.map(({ name, value, optional }) => ({ name, step: this.step(value), optional }))
    return { step: costing(STRUCT_COST, structStep(make, fields)) }
  }

  #comprehension(node: Comprehension): Step {
    if (isBinding(node)) return this.#binding(node)
    const range = this.step(node.range)
    const initial = this.step(node.initial)
    const outer = this.#scope
    const [accumulator, first, second] = [this.#slot(), this.#slot(), this.#slot()]
    const inner: Scope = { names: new Map([[node.accumulator, local(accumulator)]]), outer }
    const names = new Map([[node.variable, local(first)]])
    if (node.variable2 !== undefined) names.set(node.variable2, local(second))
    this.#scope = { names, outer: inner }
    const condition = this.step(node.condition)
    const step = this.step(node.step)
    this.#scope = inner
    const result = this.step(node.result)
    this.#scope = outer
    const variables = node.variable2 === undefined ? 'one' : 'two'
    return foldStep({ range, initial, condition, step, result, accumulator, first, second, variables })
  }

  /** Plans `cel.bind` and similar macros: the value is computed on first use. */
  #binding(node: Comprehension): Step {
    const slot = this.#slot()
    const value = this.step(node.initial)
    const outer = this.#scope
    const read: Step = (frame) => {
      const known = frame.locals[slot]
      if (known !== undefined) return known
      const computedNow = value(frame)
      frame.locals[slot] = computedNow
      return computedNow
    }
    this.#scope = { names: new Map([[node.accumulator, { read }]]), outer }
    const result = this.step(node.result)
    this.#scope = outer
    return bindingStep(slot, result)
  }

  #slot(): number {
    return this.#locals++
  }
}

function local(slot: number): Local {
  return { read: (frame) => frame.locals[slot] ?? null }
}

function isIndex(name: string): name is '_[_]' | '_[?_]' | '_?._' {
  return name === '_[_]' || name === '_[?_]' || name === '_?._'
}

function costing(cost: number, step: Step): Step {
  return (frame) => {
    const value = step(frame)
    frame.cost += cost
    return value
  }
}

function notOptional(key: string, value: Value): CelError {
  return new CelError(`cannot initialize optional entry '${key}' from non-optional value ${formatValue(value)}`)
}

interface FieldPlan {
  readonly name: string
  readonly step: Step
  readonly optional: boolean
}

function structStep(make: NonNullable<ObjectDeclaration['make']>, fields: readonly FieldPlan[]): Step {
  return (frame) => {
    const values = new Map<string, Value>()
    for (const { name, step, optional } of fields) {
      const value = step(frame)
      if (value instanceof CelError) return value
      if (!optional) values.set(name, value)
      else if (!(value instanceof OptionalValue)) return notOptional(name, value)
      else if (value.value !== undefined) values.set(name, value.value)
    }
    return make(values)
  }
}

/** Computes the value of a constant step. */
function computed(step: Step): Value {
  const value = step(new EvaluationState({}, Number.POSITIVE_INFINITY))
  if (value instanceof CelError) throw new PlanError(value.message)
  return value
}

/**
 * Plans a checked tree.
 * @throws PlanError if a constant part fails
 */
export function planSteps(tree: Expression, environment: Environment): Step {
  return new Planner(environment).step(tree)
}

/** Whether a call with constant arguments fails. */
export function isConstantlyWrong(call: Call, environment: Environment): boolean {
  try {
    computed(planSteps(call, environment))
    return false
  } catch (error) {
    if (error instanceof PlanError) return true
    throw error
  }
}
