/** cel-go's library of mathematics (version 2), which no environment of Kubernetes includes yet. */

import { doubleAt, intAt, listAt, uintAt, wholeAt } from '../arguments.ts'
import type { Expression } from '../ast.ts'
import { compare } from '../compare.ts'
import { declare, type FunctionDeclaration, global, type Implementation, type Overload } from '../declarations.ts'
import type { Library } from '../library.ts'
import { BadMacro, type Macro } from '../macros.ts'
import { INT_OVERFLOW } from '../numbers.ts'
import { CelError, Double, intOf, isInt, MIN_INT, Uint, type Value } from '../value.ts'

/** Whether an argument may be a number: false only for literals of other types. */
function mayBeNumber(node: Expression): boolean {
  if (node.kind !== 'literal') return node.kind !== 'list' && node.kind !== 'map' && node.kind !== 'struct'
  return isInt(node.value) || node.value instanceof Double || node.value instanceof Uint
}

function isListOfNumbers(node: Expression): boolean {
  return node.kind === 'list' && node.elements.length > 0 && node.elements.every(({ value }) => mayBeNumber(value))
}

/** Makes `math.least(…)` or `math.greatest(…)`: of one list, or of any number of arguments. */
function extremeMacro(name: 'least' | 'greatest', functionName: string): Macro {
  return {
    name,
    style: 'method',
    argumentCount: 'any',
    expand: (nodes, target, args) => {
      if (target.kind !== 'identifier' || target.name !== 'math') return undefined
      const [first] = args
      if (first === undefined) return new BadMacro(target.offset, `math.${name}() requires at least one argument`)
      if (args.length === 1) {
        if (isListOfNumbers(first) || mayBeNumber(first)) return nodes.call(functionName, first)
        return new BadMacro(first.offset, `math.${name}() invalid single argument value`)
      }
      const wrong = args.find((argument) => !mayBeNumber(argument))
      if (wrong !== undefined) return new BadMacro(wrong.offset, `math.${name}() simple literal arguments must be numeric`)
      return args.length === 2 ? nodes.call(functionName, ...args) : nodes.call(functionName, nodes.list(...args))
    },
  }
}

const NUMBERS = ['double', 'int', 'uint'] as const

/** Returns the lesser or greater of two values. */
function extreme(functionName: string, wanted: -1 | 1, a: Value, b: Value): Value {
  const order = compare(a, b)
  if (order instanceof CelError) return new CelError(`${order.message}: ${functionName}`)
  return order === -wanted ? b : a
}

function extremeFunction(name: '@min' | '@max', wanted: -1 | 1): FunctionDeclaration {
  const functionName = `math.${name}`
  const pair: Implementation = ([a = null, b = null]) => extreme(functionName, wanted, a, b)
  const ofList: Implementation = (args) => {
    const [first, ...rest] = listAt(args, 0).elements
    if (first === undefined) return new CelError(`${functionName}(list) argument must not be empty`)
    const found = rest.reduce((best, value) => extreme(functionName, wanted, best, value), first)
    const isNumber = isInt(found) || found instanceof Double || found instanceof Uint || found instanceof CelError
    return isNumber ? found : new CelError(`no such overload: ${functionName}`)
  }
  return declare(
    functionName,
    ...NUMBERS.map((type) => global(`math_${name}_${type}`, type, type, ([value = null]) => value)),
    ...NUMBERS.map((type) => global(`math_${name}_${type}_${type}`, `${type}, ${type}`, type, pair)),
    ...NUMBERS.flatMap((a) =>
      NUMBERS.filter((b) => b !== a).map((b) => global(`math_${name}_${a}_${b}`, `${a}, ${b}`, 'dyn', pair)),
    ),
    ...NUMBERS.map((type) => global(`math_${name}_list_${type}`, `list(${type})`, type, ofList)),
  )
}

/** Rounds to the nearest whole number, half away from zero. */
function rounded(value: number): number {
  return Number.isFinite(value) ? Math.sign(value) * Math.floor(Math.abs(value) + 0.5) : value
}

const ofDouble = (name: string, compute: (value: number) => number): FunctionDeclaration =>
  declare(
    `math.${name}`,
    global(`math_${name}_double`, 'double', 'double', (args) => new Double(compute(doubleAt(args, 0)))),
  )

const testOfDouble = (name: string, compute: (value: number) => boolean): FunctionDeclaration =>
  declare(
    `math.${name}`,
    global(`math_${name}_double`, 'double', 'bool', (args) => compute(doubleAt(args, 0))),
  )

const absoluteInt: Implementation = (args) => {
  const value = wholeAt(args, 0)
  if (value === MIN_INT) return INT_OVERFLOW
  return intOf(value < 0n ? -value : value)
}

/** Returns 64 bits as an int. */
const asInt = (bits: bigint): Value => intOf(BigInt.asIntN(64, bits))

/** Returns 64 bits as a uint. */
const asUint = (bits: bigint): Value => new Uint(BigInt.asUintN(64, bits))

const bitwise = (name: string, compute: (a: bigint, b: bigint) => bigint): FunctionDeclaration =>
  declare(
    `math.${name}`,
    global(`math_${name}_int_int`, 'int, int', 'int', (args) => asInt(compute(wholeAt(args, 0), wholeAt(args, 1)))),
    global(`math_${name}_uint_uint`, 'uint, uint', 'uint', (args) => asUint(compute(uintAt(args, 0), uintAt(args, 1)))),
  )

function shift(name: string, compute: (bits: bigint, by: bigint) => bigint): FunctionDeclaration {
  const shifted =
    (read: (args: readonly Value[]) => bigint, make: (bits: bigint) => Value): Implementation =>
    (args) => {
      const by = intAt(args, 1)
      if (by < 0) return new CelError(`math.${name}() negative offset: ${by}`)
      return make(by >= 64 ? 0n : compute(BigInt.asUintN(64, read(args)), BigInt(by)))
    }
  return declare(
    `math.${name}`,
    global(
      `math_${name}_int_int`,
      'int, int',
      'int',
      shifted((args) => wholeAt(args, 0), asInt),
    ),
    global(
      `math_${name}_uint_int`,
      'uint, int',
      'uint',
      shifted((args) => uintAt(args, 0), asUint),
    ),
  )
}

const root = (type: (typeof NUMBERS)[number], read: (args: readonly Value[]) => number): Overload =>
  global(`math_sqrt_${type}`, type, 'double', (args) => new Double(Math.sqrt(read(args))))

export const MATH: Library = {
  macros: [extremeMacro('least', 'math.@min'), extremeMacro('greatest', 'math.@max')],
  functions: [
    extremeFunction('@min', -1),
    extremeFunction('@max', 1),
    ofDouble('ceil', Math.ceil),
    ofDouble('floor', Math.floor),
    ofDouble('round', rounded),
    ofDouble('trunc', Math.trunc),
    testOfDouble('isInf', (value) => Math.abs(value) === Number.POSITIVE_INFINITY),
    testOfDouble('isNaN', Number.isNaN),
    testOfDouble('isFinite', Number.isFinite),
    declare(
      'math.abs',
      global('math_abs_double', 'double', 'double', (args) => new Double(Math.abs(doubleAt(args, 0)))),
      global('math_abs_int', 'int', 'int', absoluteInt),
      global('math_abs_uint', 'uint', 'uint', ([value = null]) => value),
    ),
    declare(
      'math.sign',
      global('math_sign_double', 'double', 'double', (args) => new Double(Math.sign(doubleAt(args, 0)))),
      global('math_sign_int', 'int', 'int', (args) => Math.sign(intAt(args, 0))),
      global('math_sign_uint', 'uint', 'uint', (args) => new Uint(uintAt(args, 0) === 0n ? 0n : 1n)),
    ),
    bitwise('bitAnd', (a, b) => a & b),
    bitwise('bitOr', (a, b) => a | b),
    bitwise('bitXor', (a, b) => a ^ b),
    declare(
      'math.bitNot',
      global('math_bitNot_int_int', 'int', 'int', (args) => asInt(~wholeAt(args, 0))),
      global('math_bitNot_uint_uint', 'uint', 'uint', (args) => asUint(~uintAt(args, 0))),
    ),
    shift('bitShiftLeft', (bits, by) => bits << by),
    shift('bitShiftRight', (bits, by) => bits >> by),
    declare(
      'math.sqrt',
      root('double', (args) => doubleAt(args, 0)),
      root('int', (args) => intAt(args, 0)),
      root('uint', (args) => Number(uintAt(args, 0))),
    ),
  ],
}
