/** The libraries of lists: cel-go's (version 3) and Kubernetes' own. */

import { anyIntAt, intAt, listAt } from '../arguments.ts'
import { countSteps } from '../budget.ts'
import { ArrayList } from '../collections.ts'
import { compare, equals } from '../compare.ts'
import { declare, type FunctionDeclaration, global, type Implementation, method } from '../declarations.ts'
import type { Library } from '../library.ts'
import { SORT_BY } from '../macros.ts'
import { addNumbers } from '../numbers.ts'
import { addTimes } from '../times.ts'
import { CelError, Double, Duration, errorOr, ListValue, typeNameOf, Uint, type Value } from '../value.ts'

/** The types whose values have an order. */
const COMPARABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'] as const

/** The maximum length of a range: more elements than a request can hold. */
const MAX_LENGTH = 1_000_000

const slice: Implementation = (args) => {
  const list = listAt(args, 0)
  const [start, end] = [intAt(args, 1), intAt(args, 2)]
  const wrong = (why: string): CelError => new CelError(`cannot slice(${anyIntAt(args, 1)}, ${anyIntAt(args, 2)}), ${why}`)
  if (start < 0 || end < 0) return wrong('negative indexes not supported')
  if (start > end) return wrong('start index must be less than or equal to end index')
  return list.size < end ? wrong(`list is length ${list.size}`) : new ArrayList(list.elements.slice(start, end))
}

function flattened(elements: readonly Value[], depth: number): readonly Value[] {
  countSteps(10 * (elements.length + 1))
  return elements.flatMap((element) =>
    element instanceof ListValue && depth > 0 ? flattened(element.elements, depth - 1) : [element],
  )
}

const flatten: Implementation = (args) => {
  const depth = args.length > 1 ? intAt(args, 1) : 1
  return depth < 0 ? new CelError('level must be non-negative') : new ArrayList(flattened(listAt(args, 0).elements, depth))
}

/** Sorts a list by associated keys; stable for equal keys. */
const sortByKeys: Implementation = (args) => {
  const [list, keys] = [listAt(args, 0), listAt(args, args.length - 1)]
  if (list.size !== keys.size) {
    const sizes = `${list.size} and ${keys.size} elements respectively`
    return new CelError(`@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${sizes}`)
  }
  const [first = null] = keys.elements
  const wrong = keys.elements.find((key) => key instanceof CelError)
  if (wrong !== undefined) return wrong
  if (list.size > 0 && compare(first, first) instanceof CelError && !(first instanceof Double))
    return new CelError('list elements must be comparable')
  if (keys.elements.some((key) => typeNameOf(key) !== typeNameOf(first)))
    return new CelError('list elements must have the same type')
  const order = keys.elements.map((_, i) => i)
  order.sort((a, b) => {
    countSteps(1)
    const result = compare(keys.at(a), keys.at(b))
    return result instanceof CelError ? 0 : result
  })
  return new ArrayList(order.map((i) => list.at(i)))
}

const range: Implementation = (args) => {
  const length = Math.max(0, intAt(args, 0))
  countSteps(length > MAX_LENGTH ? Number.POSITIVE_INFINITY : length)
  return new ArrayList(Array.from({ length }, (_, i) => i))
}

function isAmong(values: readonly Value[], value: Value): boolean {
  countSteps(values.length)
  return values.some((known) => equals(value, known) === true)
}

const distinct: Implementation = (args) => {
  const primitives = new Set<Value>()
  const others: Value[] = []
  const result: Value[] = []
  for (const element of listAt(args, 0).elements) {
    const simple = typeof element === 'string' || typeof element === 'boolean'
    if (simple ? primitives.has(element) : isAmong(others, element)) continue
    if (simple) primitives.add(element)
    else others.push(element)
    result.push(element)
  }
  return new ArrayList(result)
}

/** cel-go's library of lists, version 3. */
export const LISTS: Library = {
  macros: [SORT_BY],
  functions: [
    declare('slice', method('list_slice', 'list(T), int, int', 'list(T)', slice)),
    declare(
      'flatten',
      method('list_flatten', 'list(list(T))', 'list(T)', flatten),
      method('list_flatten_int', 'list(dyn), int', 'list(dyn)', flatten),
    ),
    declare('sort', ...COMPARABLE.map((type) => method(`list_${type}_sort`, `list(${type})`, `list(${type})`, sortByKeys))),
    declare(
      '@sortByAssociatedKeys',
      ...COMPARABLE.map((type) => method(`list_${type}_sortByAssociatedKeys`, `list(T), list(${type})`, 'list(T)', sortByKeys)),
    ),
    declare('lists.range', global('lists_range', 'int', 'list(int)', range)),
    declare(
      'reverse',
      method('list_reverse', 'list(T)', 'list(T)', (args) => new ArrayList(listAt(args, 0).elements.toReversed())),
    ),
    declare('distinct', method('list_distinct', 'list(T)', 'list(T)', distinct)),
  ],
}

const isSorted: Implementation = (args) => {
  const { elements } = listAt(args, 0)
  for (const [i, element] of elements.entries()) {
    if (element instanceof CelError) return element
    const order = i === 0 ? 0 : compare(elements[i - 1] ?? null, element)
    if (!(order instanceof CelError) && order > 0) return false
  }
  return true
}

/** The zero of each type that has sums. */
const ZEROS = { int: 0, uint: new Uint(0n), double: new Double(0), duration: new Duration(0n) } as const

const sum =
  (type: keyof typeof ZEROS): Implementation =>
  (args) => {
    let total: Value = ZEROS[type]
    for (const element of listAt(args, 0).elements) {
      total = total instanceof Duration ? addTimes(total, element) : addNumbers(total, element)
      if (total instanceof CelError) return total
    }
    return total
  }

/** Returns the least or greatest element. */
const extreme =
  (name: 'min' | 'max'): Implementation =>
  (args) => {
    let found: Value | undefined
    for (const element of listAt(args, 0).elements) {
      if (element instanceof CelError) return element
      const order = found === undefined ? 0 : compare(found, element)
      if (found === undefined || (!(order instanceof CelError) && (name === 'min' ? order > 0 : order < 0))) found = element
    }
    return found ?? new CelError(`${name} called on empty list`)
  }

const position =
  (which: 'first' | 'last'): Implementation =>
  (args) => {
    const [, wanted = null] = args
    const { elements } = listAt(args, 0)
    const isWanted = (element: Value): boolean => equals(element, wanted) === true
    return which === 'first' ? elements.findIndex(isWanted) : elements.findLastIndex(isWanted)
  }

const each = <T extends string>(
  name: string,
  types: readonly T[],
  make: (type: T) => ReturnType<typeof method>,
): FunctionDeclaration => declare(name, ...types.map(make))

/** Kubernetes' library of lists. */
export const KUBERNETES_LISTS: Library = {
  functions: [
    each('isSorted', COMPARABLE, (type) => method(`list_${type}_is_sorted_bool`, `list(${type})`, 'bool', isSorted)),
    each('sum', ['int', 'uint', 'double', 'duration'], (type) =>
      method(`list_${type}_sum_${type}`, `list(${type})`, type, sum(type)),
    ),
    each('max', COMPARABLE, (type) => method(`list_${type}_max_${type}`, `list(${type})`, type, extreme('max'))),
    each('min', COMPARABLE, (type) => method(`list_${type}_min_${type}`, `list(${type})`, type, extreme('min'))),
    declare('indexOf', method('list_a_index_of_int', 'list(A), A', 'int', position('first'))),
    declare('lastIndexOf', method('list_a_last_index_of_int', 'list(A), A', 'int', position('last'))),
  ],
}

const intersects: Implementation = (args) =>
  listAt(args, 0).elements.some((element) => listAt(args, 1).contains(element) === true)

/** Whether the first list contains all elements, or the error of a comparison. */
function containsAll(list: ListValue, elements: readonly Value[]): Value {
  for (const element of elements) {
    const found = list.contains(element)
    if (found !== true) return found === false ? false : errorOr(found)
  }
  return true
}

const contains: Implementation = (args) => containsAll(listAt(args, 0), listAt(args, 1).elements)

const equivalent: Implementation = (args) => {
  const [a, b] = [listAt(args, 0), listAt(args, 1)]
  const there = containsAll(a, b.elements)
  return there === true ? containsAll(b, a.elements) : there
}

/** cel-go's library of lists as sets. */
export const SETS: Library = {
  functions: [
    declare('sets.contains', global('list_sets_contains_list', 'list(T), list(T)', 'bool', contains)),
    declare('sets.equivalent', global('list_sets_equivalent_list', 'list(T), list(T)', 'bool', equivalent)),
    declare('sets.intersects', global('list_sets_intersects_list', 'list(T), list(T)', 'bool', intersects)),
  ],
}
