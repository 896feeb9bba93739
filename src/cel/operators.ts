/** The implementation of operators. Operands are never errors. */
import { compare, equals } from './compare.ts'
import { addNumbers, checkedInt, divide, modulo, multiply, subtractNumbers } from './numbers.ts'
import { addTimes, checkedDuration, subtractTimes } from './times.ts'
import {
  CelError,
  Double,
  Duration,
  errorOr,
  isInt,
  ListValue,
  MapValue,
  NO_SUCH_OVERLOAD,
  Timestamp,
  Uint,
  type Value,
} from './value.ts'

/** A binary operator. */
export type Binary = (a: Value, b: Value) => Value

function concatenated(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(a.length + b.length)
  bytes.set(a)
  bytes.set(b, a.length)
  return bytes
}

/** Adds numbers, strings, bytes, lists, durations and timestamps. */
export function add(a: Value, b: Value): Value {
  if (typeof a === 'number' || typeof a === 'bigint') return addNumbers(a, b)
  if (typeof a === 'string') return typeof b === 'string' ? a + b : errorOr(b)
  if (a instanceof ListValue) return b instanceof ListValue ? a.add(b) : errorOr(b)
  if (a instanceof Double || a instanceof Uint) return addNumbers(a, b)
  if (a instanceof Duration || a instanceof Timestamp) return addTimes(a, b)
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? concatenated(a, b) : errorOr(b)
  return noOverload('_+_', a)
}

function subtract(a: Value, b: Value): Value {
  return a instanceof Duration || a instanceof Timestamp ? subtractTimes(a, b) : subtractNumbers(a, b)
}

/** Whether cel-go lets a value receive calls that have no implementation by its traits; its errors do not name the function. */
export const isReceiver = (value: Value): boolean =>
  typeof value === 'string' || value instanceof Duration || value instanceof Timestamp

const noOverload = (name: string, a: Value): CelError =>
  isReceiver(a) ? NO_SUCH_OVERLOAD : new CelError(`no such overload: ${name}`)

const isNumber = (value: Value): boolean => isInt(value) || value instanceof Double || value instanceof Uint

/** Restricts an operator to numbers of certain types. */
const numeric =
  (name: string, compute: Binary, accepts: (a: Value) => boolean = isNumber): Binary =>
  (a, b) =>
    accepts(a) ? compute(a, b) : noOverload(name, a)

const isComparable = (value: Value): boolean =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  isNumber(value) ||
  value instanceof Duration ||
  value instanceof Timestamp ||
  value instanceof Uint8Array

const ordering =
  (name: string, holds: (order: number) => boolean): Binary =>
  (a, b) => {
    if (!isComparable(a)) return noOverload(name, a)
    const order = compare(a, b)
    return order instanceof CelError ? order : holds(order)
  }

function isIn(value: Value, container: Value): Value {
  if (container instanceof ListValue) return container.contains(value)
  if (!(container instanceof MapValue)) return errorOr(container)
  const found = container.find(value)
  return found instanceof CelError ? found : found !== undefined
}

function notEquals(a: Value, b: Value): Value {
  return equals(a, b) !== true
}

/** The binary operators by function name. */
export const BINARY: ReadonlyMap<string, Binary> = new Map<string, Binary>([
  ['_+_', add],
  ['_-_', numeric('_-_', subtract, (a) => isNumber(a) || a instanceof Duration || a instanceof Timestamp)],
  ['_*_', numeric('_*_', multiply)],
  ['_/_', numeric('_/_', divide)],
  ['_%_', numeric('_%_', modulo, (a) => isInt(a) || a instanceof Uint)],
  ['_<_', ordering('_<_', (order) => order < 0)],
  ['_<=_', ordering('_<=_', (order) => order <= 0)],
  ['_>_', ordering('_>_', (order) => order > 0)],
  ['_>=_', ordering('_>=_', (order) => order >= 0)],
  ['_==_', equals],
  ['_!=_', notEquals],
  ['@in', isIn],
])

function negate(value: Value): Value {
  if (isInt(value)) return checkedInt(-BigInt(value))
  if (value instanceof Double) return new Double(-value.value)
  return value instanceof Duration ? checkedDuration(-value.nanoseconds) : NO_SUCH_OVERLOAD
}

/** The unary operators by function name. */
export const UNARY: ReadonlyMap<string, (value: Value) => Value> = new Map<string, (value: Value) => Value>([
  ['!_', (value) => (typeof value === 'boolean' ? !value : NO_SUCH_OVERLOAD)],
  ['-_', negate],
])

/** The comparisons of ints that are JavaScript numbers, which are by far the most frequent. */
export const SMALL: ReadonlyMap<string, (a: number, b: number) => boolean> = new Map<string, (a: number, b: number) => boolean>([
  ['_<_', (a, b) => a < b],
  ['_<=_', (a, b) => a <= b],
  ['_>_', (a, b) => a > b],
  ['_>=_', (a, b) => a >= b],
  ['_==_', (a, b) => a === b],
  ['_!=_', (a, b) => a !== b],
])
