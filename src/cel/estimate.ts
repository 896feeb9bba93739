/**
 * Static cost estimates: checker/cost.go of cel-go with Kubernetes' estimates of calls. A path locates a value in the declared
 * types (`['self', 'items', '@items', 'name']`), so that declared bounds (maxItems, maxLength) are found.
 */
import {
  type Call,
  type Comprehension,
  type Expression,
  isBinding,
  type ListLiteral,
  type MapLiteral,
  plainName,
  type Select,
} from './ast.ts'
import { LIST_COST, MAP_COST, STRUCT_COST } from './cost.ts'
import { type CallEstimate, callEstimate, type Operand } from './estimate-calls.ts'
import { exactly, NOTHING, ONE, plus, type Range, times, UNBOUNDED, UNKNOWN, union } from './estimate-range.ts'
import { ACCUMULATOR } from './macros.ts'
import { codePointLength } from './text.ts'
import { type CelType, DYN, optionalElement, unwrapped } from './types.ts'
import type { Value } from './value.ts'

/** The least and greatest cost of an evaluation. */
export type CostEstimate = Range

/** Returns the greatest number of elements of the value at a path; undefined if it is unknown. */
export type SizeEstimator = (path: readonly string[]) => number | undefined

type Path = readonly string[]

/** The sizes of a container's keys and values. */
interface EntrySize {
  readonly container: 'list' | 'map'
  readonly key: Range
  readonly value: Range
}

interface Local {
  readonly path: Path
  readonly size: Range | undefined
  readonly entry: EntrySize | undefined
}

const EMPTY: Path = []

const typeOfNode = (node: Expression): CelType => node.type ?? DYN

const SCALARS: ReadonlySet<CelType['kind']> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint'])

/** Whether values of the type have a constant size. */
function isScalar(type: CelType): boolean {
  const element = optionalElement(type)
  if (element !== undefined) return isScalar(element)
  return SCALARS.has(unwrapped(type).kind)
}

function literalSize(value: Value): Range {
  if (typeof value === 'string') return exactly(codePointLength(value))
  return exactly(value instanceof Uint8Array ? value.length : 1)
}

/** Returns the size of a literal. */
function writtenSize(node: Expression): Range | undefined {
  if (node.kind === 'literal') return literalSize(node.value)
  if (node.kind === 'list') return exactly(node.elements.length)
  return node.kind === 'map' ? exactly(node.entries.length) : undefined
}

function entryUnion(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  if (a === undefined || b === undefined) return undefined
  return { container: a.container, key: union(a.key, b.key), value: union(a.value, b.value) }
}

const NO_ENTRIES: Range = { min: UNBOUNDED, max: 0 }

class Estimator {
  readonly #sizeAt: SizeEstimator
  readonly #paths = new Map<Expression, Path>()
  readonly #sizes = new Map<Expression, Range>()
  readonly #entries = new Map<Expression, EntrySize>()
  readonly #locals = new Map<string, Local[]>()

  constructor(sizeAt: SizeEstimator) {
    this.#sizeAt = sizeAt
  }

  cost(node: Expression): Range {
    switch (node.kind) {
      case 'literal':
      case 'unreadable':
        return NOTHING
      case 'identifier':
        this.#paths.set(node, this.#local(node.name)?.path ?? [plainName(node.name)])
        return ONE
      case 'select':
        return this.#select(node)
      case 'call':
        return this.#call(node)
      case 'list':
        return this.#list(node)
      case 'map':
        return this.#map(node)
      case 'struct':
        return plus(...node.fields.map(({ value }) => this.cost(value)), exactly(STRUCT_COST))
      case 'comprehension':
        return isBinding(node) && node.accumulator !== ACCUMULATOR ? this.#binding(node) : this.#comprehension(node)
    }
  }

  #select(node: Select): Range {
    if (node.reference !== undefined) {
      const cost = this.cost(node.reference)
      this.#paths.set(node, this.#pathOf(node.reference))
      return cost
    }
    const operand = this.cost(node.operand)
    if (node.test) return operand
    this.#paths.set(node, [...this.#pathOf(node.operand), node.field])
    const { kind } = typeOfNode(node.operand)
    return kind === 'map' || kind === 'object' || kind === 'param' ? plus(operand, ONE) : operand
  }

  #call(node: Call): Range {
    const [first] = node.arguments
    if (node.name === 'dyn' && first !== undefined) {
      const cost = plus(ONE, this.cost(first))
      this.#copySizes(node, first)
      return cost
    }
    const costs = node.arguments.map((argument) => this.cost(argument))
    const operands = node.arguments.map((argument) => this.#operand(argument))
    const target = node.target === undefined ? undefined : this.cost(node.target)
    const receiver = node.target === undefined ? undefined : this.#operand(node.target)
    let total: Range = { min: UNBOUNDED, max: 0 }
    let size: Range | undefined
    for (const overload of node.overloads ?? []) {
      const estimate = this.#overload(node, overload.id, { receiver, operands, costs })
      total = union(total, estimate.cost)
      if (estimate.size !== undefined) size = size === undefined ? estimate.size : union(size, estimate.size)
      size = this.#indexed(node, overload.id, size) ?? this.#sizeOf(node)
    }
    if (size !== undefined) this.#sizes.set(node, size)
    return plus(target ?? NOTHING, total)
  }

  /** Returns the size of an index's result and records its path; other calls keep their size. */
  #indexed(node: Call, overload: string, size: Range | undefined): Range | undefined {
    const [container] = node.arguments
    const part = { index_list: '@items', index_map: '@values' }[overload]
    if (part === undefined || container === undefined) return size
    this.#paths.set(node, [...this.#pathOf(container), part])
    return this.#entryOf(container)?.value
  }

  #overload(node: Call, overload: string, call: CallParts): CallEstimate {
    const { costs } = call
    const sum = plus(...costs)
    const [first = NOTHING, second = NOTHING, third = NOTHING] = costs
    const [a, b, c] = node.arguments
    switch (overload) {
      case 'logical_and':
      case 'logical_or':
        return { cost: { min: first.min, max: plus(first, second).max } }
      case 'conditional':
        if (b !== undefined && c !== undefined) this.#setEntry(node, entryUnion(this.#entryOf(b), this.#entryOf(c)))
        return { cost: plus(first, union(second, third)), size: union(this.#sizeOrUnknown(b), this.#sizeOrUnknown(c)) }
      case 'add_list':
      case 'add_string':
      case 'add_bytes':
        if (a !== undefined && b !== undefined) this.#setEntry(node, entryUnion(this.#entryOf(a), this.#entryOf(b)))
    }
    const estimate = callEstimate({ name: node.name, overload, receiver: call.receiver, operands: call.operands })
    return { ...estimate, cost: plus(estimate.cost, sum) }
  }

  #operand(node: Expression): Operand {
    return {
      node,
      type: typeOfNode(node),
      size: this.#sizeOf(node),
      elementSize: () => this.#elementSize(node),
    }
  }

  #elementSize(list: Expression): Range | undefined {
    const path = this.#visiblePath(list)
    return path.length === 0 ? undefined : this.#maximumAt([...path, '@items'])
  }

  /** Returns the path of a node, empty for accumulators, which are not reachable from the declared types. */
  #visiblePath(node: Expression): Path {
    const path = this.#pathOf(node)
    return path[0] === ACCUMULATOR ? EMPTY : path
  }

  #list(node: ListLiteral): Range {
    let value: Range = node.elements.length === 0 ? NOTHING : NO_ENTRIES
    const costs = node.elements.map((element) => {
      const cost = this.cost(element.value)
      value = union(value, this.#sizeOrUnknown(element.value))
      return cost
    })
    this.#entries.set(node, { container: 'list', key: ONE, value })
    return plus(...costs, exactly(LIST_COST))
  }

  #map(node: MapLiteral): Range {
    const none = node.entries.length === 0 ? NOTHING : NO_ENTRIES
    let [key, value] = [none, none]
    const costs = node.entries.map((entry) => {
      const cost = plus(this.cost(entry.key), this.cost(entry.value))
      key = union(key, this.#sizeOrUnknown(entry.key))
      value = union(value, this.#sizeOrUnknown(entry.value))
      return cost
    })
    this.#entries.set(node, { container: 'map', key, value })
    return plus(...costs, exactly(MAP_COST))
  }

  #comprehension(node: Comprehension): Range {
    const { range, initial, condition, step, result, variable, variable2, accumulator } = node
    const before = plus(this.cost(range), this.cost(initial))
    this.#push(accumulator, this.#bound(initial))
    this.#push(variable, this.#iterated(range, variable2 === undefined ? 'single' : 'key'))
    if (variable2 !== undefined) this.#push(variable2, this.#iterated(range, 'value'))
    const round = plus(this.cost(condition), this.cost(step))
    this.#locals.get(variable)?.pop()
    if (variable2 !== undefined) this.#locals.get(variable2)?.pop()
    const after = this.cost(result)
    this.#locals.get(accumulator)?.pop()
    const count = this.#sizeOrUnknown(range)
    if (initial.kind === 'literal') this.#setSize(node, this.#sizeOf(initial))
    if (initial.kind === 'list' || initial.kind === 'map') {
      this.#setSize(node, count)
      this.#setEntry(node, this.#entryOf(step))
    }
    return plus(before, after, times(count, round))
  }

  #binding(node: Comprehension): Range {
    const { range, initial, accumulator, result } = node
    const before = plus(this.cost(range), this.cost(initial))
    this.#push(accumulator, this.#bound(initial))
    const cost = plus(before, this.cost(result))
    this.#locals.get(accumulator)?.pop()
    this.#copySizes(node, result)
    return cost
  }

  #bound(node: Expression): Local {
    return { path: this.#pathOf(node), size: this.#sizeOf(node), entry: this.#entryOf(node) }
  }

  /** Returns the variable of a comprehension. */
  #iterated(range: Expression, which: 'key' | 'value' | 'single'): Local {
    const entry = this.#entryOf(range)
    const isList = (entry?.container ?? typeOfNode(range).kind) === 'list'
    const part = which === 'single' ? (isList ? 'value' : 'key') : which
    const name = part === 'key' ? (isList ? '@indices' : '@keys') : isList ? '@items' : '@values'
    return { path: [...this.#pathOf(range), name], size: entry?.[part], entry: undefined }
  }

  #push(name: string, local: Local): void {
    const locals = this.#locals.get(name) ?? []
    locals.push(local)
    this.#locals.set(name, locals)
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1)
  }

  #pathOf(node: Expression): Path {
    const local = node.kind === 'identifier' ? this.#local(node.name) : undefined
    return local?.path ?? this.#paths.get(node) ?? EMPTY
  }

  #maximumAt(path: Path): Range | undefined {
    const max = path.length === 0 ? undefined : this.#sizeAt(path)
    return max === undefined ? undefined : { min: 0, max }
  }

  #sizeOf(node: Expression): Range | undefined {
    const known = this.#sizes.get(node) ?? writtenSize(node)
    if (known !== undefined) return known
    const declared = this.#maximumAt(this.#pathOf(node))
    if (declared !== undefined) {
      this.#sizes.set(node, declared)
      return declared
    }
    if (isScalar(typeOfNode(node))) return ONE
    return node.kind === 'identifier' ? this.#local(node.name)?.size : undefined
  }

  #sizeOrUnknown(node: Expression | undefined): Range {
    return (node === undefined ? undefined : this.#sizeOf(node)) ?? UNKNOWN
  }

  #entryOf(node: Expression): EntrySize | undefined {
    const local = node.kind === 'identifier' ? this.#local(node.name) : undefined
    return this.#entries.get(node) ?? local?.entry
  }

  #setSize(node: Expression, size: Range | undefined): void {
    if (size !== undefined) this.#sizes.set(node, size)
  }

  #setEntry(node: Expression, entry: EntrySize | undefined): void {
    if (entry !== undefined) this.#entries.set(node, entry)
  }

  #copySizes(to: Expression, from: Expression): void {
    this.#setSize(to, this.#sizeOf(from))
    this.#setEntry(to, this.#entryOf(from))
  }
}

/** The target, arguments and argument costs of a call. */
interface CallParts {
  readonly receiver: Operand | undefined
  readonly operands: readonly Operand[]
  readonly costs: readonly Range[]
}

/** Estimates the cost of evaluating a checked tree. */
export function estimateCost(tree: Expression, sizeAt: SizeEstimator): CostEstimate {
  return new Estimator(sizeAt).cost(tree)
}
