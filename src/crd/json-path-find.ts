/** Evaluates the JSON paths of printer columns. Follows k8s.io/client-go/util/jsonpath with AllowMissingKeys. */

import { isRawNumber } from '../go/json.ts'
import { isObject } from '../go/json-object.ts'
import type { JsonValue } from '../go/json-value.ts'
import { JsonPathError, type Node } from '../meta/json-path.ts'
import { numberOf } from './schema/numbers.ts'

/** A parsed path. */
export interface JsonPath {
  /** Returns the values at the path, in order; an empty list if a step is missing or of another type. */
  readonly find: (object: JsonValue) => readonly JsonValue[]
}

type Values = readonly JsonValue[]
type Slice = Extract<Node, { is: 'slice' }>
type Filter = Extract<Node, { is: 'filter' }>

/** The maximum number of values of one step: recursive descents multiply them. */
const mostValues = 10_000

const isList = (value: JsonValue): value is JsonValue[] => Array.isArray(value)

const valuesOf = (object: Readonly<Record<string, JsonValue>>): Values =>
  Object.keys(object)
    .sort()
    .map((key) => object[key] ?? null)

/** Returns the children of a value; an empty list for scalars. */
const within = (value: JsonValue): Values => (isList(value) ? value : isObject(value) ? valuesOf(value) : [])

function descendants(value: JsonValue, into: JsonValue[]): JsonValue[] {
  const inner = within(value)
  if (into.length >= mostValues || inner.length === 0) return into
  into.push(value)
  for (const each of inner) descendants(each, into)
  return into
}

function outOfBounds(index: number, length: number): never {
  throw new JsonPathError(`array index out of bounds: index ${index}, length ${length}`)
}

function sliced(value: JsonValue, { from: first = 0, to, by = 1, one }: Slice): Values {
  if (value === null) return []
  if (!isList(value)) throw new JsonPathError('it is not array or slice')
  const { length } = value
  const from = first < 0 ? first + length : first
  const given = one ? first + 1 : (to ?? length)
  const end = given < 0 || (given === 0 && one) ? given + length : given
  if (from === end) return []
  if (from >= length || from < 0) outOfBounds(from, length)
  if (end > length || end < 0) outOfBounds(end - 1, length)
  if (from > end) throw new JsonPathError(`starting index ${from} is greater than ending index ${end}`)
  if (by <= 0) throw new JsonPathError('step must be > 0')
  return value.slice(from, end).filter((_, at) => at % by === 0)
}

/** A scalar with the type by which Go compares it. */
interface Scalar {
  readonly type: 'string' | 'int' | 'float' | 'bool'
  readonly value: string | number | boolean
}

function scalarOf(value: JsonValue): Scalar {
  if (typeof value === 'string') return { type: 'string', value }
  if (typeof value === 'boolean') return { type: 'bool', value }
  if (typeof value !== 'number' && !isRawNumber(value)) throw new JsonPathError('invalid type for comparison')
  const number = numberOf(value)
  return { type: Number.isInteger(number) ? 'int' : 'float', value: number }
}

const orders: Readonly<Record<string, (left: Scalar['value'], right: Scalar['value']) => boolean>> = {
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
}

function compare(left: Scalar, operator: string, right: Scalar): boolean {
  if (left.type !== right.type) throw new JsonPathError('incompatible types for comparison')
  if (operator === '==') return left.value === right.value
  if (operator === '!=') return left.value !== right.value
  const order = orders[operator]
  if (order === undefined || left.type === 'bool') throw new JsonPathError(`unrecognized filter operator ${operator}`)
  return order(left.value, right.value)
}

/** Returns the single value of one side of a comparison; undefined if it is missing. */
function sideOf(nodes: readonly Node[], item: JsonValue): Scalar | undefined {
  const literal = nodes.at(-1)
  const values = walk(nodes, [item])
  if (values.length > 1) throw new JsonPathError('can only compare one element at a time')
  const [value] = values
  if (value === undefined) return undefined
  return literal?.is === 'literal' ? { type: literal.type, value: literal.value } : scalarOf(value)
}

/** Whether a path has a value. A path that fails counts as one that has. */
function exists(nodes: readonly Node[], item: JsonValue): boolean {
  try {
    return walk(nodes, [item]).length > 0
  } catch (error) {
    if (error instanceof JsonPathError) return true
    throw error
  }
}

function passes(item: JsonValue, { left, operator, right }: Filter): boolean {
  if (operator === 'exists') return exists(left, item)
  const a = sideOf(left, item)
  if (a === undefined) return false
  const b = sideOf(right, item)
  return b !== undefined && compare(a, operator, b)
}

function filtered(value: JsonValue, filter: Filter): Values {
  if (!isList(value)) throw new JsonPathError('it is not array or slice and cannot be filtered')
  return value.filter((item) => passes(item, filter))
}

function step(node: Node, values: Values): Values {
  switch (node.is) {
    case 'field':
      return values.flatMap((value) => (isObject(value) && Object.hasOwn(value, node.name) ? [value[node.name] ?? null] : []))
    case 'union':
      return node.branches.flatMap((branch) => walk(branch, values))
    case 'wildcard':
      return values.flatMap(within)
    case 'descent':
      return values.flatMap((value) => descendants(value, []))
    case 'slice':
      return values.flatMap((value) => sliced(value, node))
    case 'filter':
      return values.flatMap((value) => filtered(value, node))
    case 'literal':
      return node.type === 'string' ? [node.value] : values.map(() => node.value)
    case 'identifier':
      throw new JsonPathError('unrecognized identifier')
  }
}

function walk(nodes: readonly Node[], start: Values): Values {
  let values = start
  for (const node of nodes) values = step(node, values).slice(0, mostValues)
  return values
}

/** Returns the evaluation of a parsed path. */
export function pathOf(nodes: readonly Node[]): JsonPath {
  return {
    find: (object) => {
      try {
        return walk(nodes, [object])
      } catch (error) {
        if (error instanceof JsonPathError) return []
        throw error
      }
    },
  }
}
