/** The standard library: operators, sizes, types, strings. Conversions and times are in other files. */

import { textAt } from '../arguments.ts'
import { sizeOf } from '../cost.ts'
import { declare, type FunctionDeclaration, global, type Implementation, method } from '../declarations.ts'
import type { Library } from '../library.ts'
import { STANDARD_MACROS } from '../macros.ts'
import { compileRegex } from '../regex.ts'
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, listOf, mapOf, NULL, STRING, TIMESTAMP, TYPE, UINT } from '../types.ts'
import { CelError, TypeValue, typeNameOf } from '../value.ts'
import { CONVERSIONS } from './conversions.ts'
import { TIMES } from './times.ts'

/** The pairs of types that have an order. */
const ORDERED: readonly (readonly [name: string, left: string, right: string])[] = [
  ['bool', 'bool', 'bool'],
  ['int64', 'int', 'int'],
  ['int64_double', 'int', 'double'],
  ['int64_uint64', 'int', 'uint'],
  ['uint64', 'uint', 'uint'],
  ['uint64_double', 'uint', 'double'],
  ['uint64_int64', 'uint', 'int'],
  ['double', 'double', 'double'],
  ['double_int64', 'double', 'int'],
  ['double_uint64', 'double', 'uint'],
  ['string', 'string', 'string'],
  ['bytes', 'bytes', 'bytes'],
  ['timestamp', 'timestamp', 'timestamp'],
  ['duration', 'duration', 'duration'],
]

const ordering = (operator: string, prefix: string): FunctionDeclaration =>
  declare(operator, ...ORDERED.map(([name, left, right]) => global(`${prefix}_${name}`, `${left}, ${right}`, 'bool')))

const NUMBERS = { int64: 'int', uint64: 'uint', double: 'double' } as const

/** Declares an arithmetic operator for two numbers of one type. */
const arithmetic = (operator: string, prefix: string, ...types: readonly (keyof typeof NUMBERS)[]): FunctionDeclaration =>
  declare(operator, ...types.map((type) => global(`${prefix}_${type}`, `${NUMBERS[type]}, ${NUMBERS[type]}`, NUMBERS[type])))

const OPERATORS: readonly FunctionDeclaration[] = [
  declare('_?_:_', global('conditional', 'bool, A, A', 'A')),
  declare('_&&_', global('logical_and', 'bool, bool', 'bool')),
  declare('_||_', global('logical_or', 'bool, bool', 'bool')),
  declare('!_', global('logical_not', 'bool', 'bool')),
  declare('@not_strictly_false', global('not_strictly_false', 'bool', 'bool')),
  declare('_==_', global('equals', 'A, A', 'bool')),
  declare('_!=_', global('not_equals', 'A, A', 'bool')),
  ordering('_<_', 'less'),
  ordering('_<=_', 'less_equals'),
  ordering('_>_', 'greater'),
  ordering('_>=_', 'greater_equals'),
  declare(
    '_+_',
    global('add_bytes', 'bytes, bytes', 'bytes'),
    global('add_double', 'double, double', 'double'),
    global('add_duration_duration', 'duration, duration', 'duration'),
    global('add_duration_timestamp', 'duration, timestamp', 'timestamp'),
    global('add_timestamp_duration', 'timestamp, duration', 'timestamp'),
    global('add_int64', 'int, int', 'int'),
    global('add_list', 'list(A), list(A)', 'list(A)'),
    global('add_string', 'string, string', 'string'),
    global('add_uint64', 'uint, uint', 'uint'),
  ),
  declare(
    '_-_',
    global('subtract_double', 'double, double', 'double'),
    global('subtract_duration_duration', 'duration, duration', 'duration'),
    global('subtract_int64', 'int, int', 'int'),
    global('subtract_timestamp_duration', 'timestamp, duration', 'timestamp'),
    global('subtract_timestamp_timestamp', 'timestamp, timestamp', 'duration'),
    global('subtract_uint64', 'uint, uint', 'uint'),
  ),
  arithmetic('_*_', 'multiply', 'double', 'int64', 'uint64'),
  arithmetic('_/_', 'divide', 'double', 'int64', 'uint64'),
  arithmetic('_%_', 'modulo', 'int64', 'uint64'),
  declare('-_', global('negate_double', 'double', 'double'), global('negate_int64', 'int', 'int')),
  declare('_[_]', global('index_list', 'list(A), int', 'A'), global('index_map', 'map(A, B), A', 'B')),
  declare('@in', global('in_list', 'A, list(A)', 'bool'), global('in_map', 'A, map(A, B)', 'bool')),
]

const size: Implementation = ([value = null]) => sizeOf(value)

const SIZED: readonly (readonly [name: string, type: string])[] = [
  ['bytes', 'bytes'],
  ['list', 'list(A)'],
  ['map', 'map(A, B)'],
  ['string', 'string'],
]

const matches: Implementation = (args) => {
  const compiled = compileRegex(textAt(args, 1))
  return compiled instanceof CelError ? compiled : compiled.test(textAt(args, 0))
}

const FUNCTIONS: readonly FunctionDeclaration[] = [
  declare(
    'size',
    ...SIZED.map(([name, type]) => global(`size_${name}`, type, 'int', size)),
    ...SIZED.map(([name, type]) => method(`${name}_size`, type, 'int', size)),
  ),
  declare(
    'type',
    global('type', 'A', 'type(A)', ([value = null]) => new TypeValue(typeNameOf(value))),
  ),
  declare(
    'contains',
    method('contains_string', 'string, string', 'bool', (args) => textAt(args, 0).includes(textAt(args, 1))),
  ),
  declare(
    'endsWith',
    method('ends_with_string', 'string, string', 'bool', (args) => textAt(args, 0).endsWith(textAt(args, 1))),
  ),
  declare(
    'startsWith',
    method('starts_with_string', 'string, string', 'bool', (args) => textAt(args, 0).startsWith(textAt(args, 1))),
  ),
  declare(
    'matches',
    global('matches', 'string, string', 'bool', matches),
    method('matches_string', 'string, string', 'bool', matches),
  ),
]

/** CEL's standard library. */
export const STANDARD: Library = {
  functions: [...OPERATORS, ...FUNCTIONS, ...CONVERSIONS, ...TIMES],
  macros: STANDARD_MACROS,
  types: [BOOL, BYTES, DOUBLE, DURATION, INT, listOf(DYN), mapOf(DYN, DYN), NULL, STRING, TIMESTAMP, TYPE, UINT],
}
