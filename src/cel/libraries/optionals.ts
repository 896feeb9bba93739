/** The library of optional values. */

import { listAt, optionalAt } from '../arguments.ts'
import { ArrayList } from '../collections.ts'
import { declare, global, type Implementation, method } from '../declarations.ts'
import type { Library } from '../library.ts'
import { OPTIONAL_MACROS } from '../macros.ts'
import { DYN, optionalOf } from '../types.ts'
import {
  CelError,
  Double,
  Duration,
  isInt,
  ListValue,
  MapValue,
  NONE,
  OptionalValue,
  Timestamp,
  Uint,
  type Value,
} from '../value.ts'

const YEAR_ONE = -62_135_596_800

/** Whether the value is the zero value of its type; library types have no zero value. */
function isZero(value: Value): boolean {
  if (value === null || value === false || value === '') return true
  if (isInt(value)) return Number(value) === 0
  if (value instanceof Uint) return value.value === 0n
  if (value instanceof Double) return value.value === 0
  if (value instanceof ListValue || value instanceof MapValue) return value.size === 0
  if (value instanceof Uint8Array) return value.length === 0
  if (value instanceof Duration) return value.nanoseconds === 0n
  return value instanceof Timestamp && value.seconds === YEAR_ONE && value.nanoseconds === 0
}

const edge =
  (which: 'first' | 'last'): Implementation =>
  (args) => {
    const list = listAt(args, 0)
    return list.size === 0 ? NONE : new OptionalValue(list.at(which === 'first' ? 0 : list.size - 1))
  }

/** Returns the values of the optionals that have one. */
const unwrap: Implementation = (args) => {
  const values: Value[] = []
  for (const element of listAt(args, 0).elements) {
    if (!(element instanceof OptionalValue)) return new CelError('value is not an optional_type')
    if (element.value !== undefined) values.push(element.value)
  }
  return new ArrayList(values)
}

/** cel-go's library of optional types. */
export const OPTIONALS: Library = {
  macros: OPTIONAL_MACROS,
  types: [optionalOf(DYN)],
  functions: [
    declare(
      'optional.of',
      global('optional_of', 'V', 'optional_type(V)', ([value = null]) => new OptionalValue(value)),
    ),
    declare(
      'optional.ofNonZeroValue',
      global('optional_ofNonZeroValue', 'V', 'optional_type(V)', ([value = null]) =>
        isZero(value) ? NONE : new OptionalValue(value),
      ),
    ),
    declare(
      'optional.none',
      global('optional_none', '', 'optional_type(V)', () => NONE),
    ),
    declare(
      'value',
      method(
        'optional_value',
        'optional_type(V)',
        'V',
        (args) => optionalAt(args, 0) ?? new CelError('optional.none() dereference'),
      ),
    ),
    declare(
      'hasValue',
      method('optional_hasValue', 'optional_type(V)', 'bool', (args) => optionalAt(args, 0) !== undefined),
    ),
    declare('or', method('optional_or_optional', 'optional_type(V), optional_type(V)', 'optional_type(V)')),
    declare('orValue', method('optional_orValue_value', 'optional_type(V), V', 'V')),
    declare('_?._', global('select_optional_field', 'dyn, string', 'optional_type(V)')),
    declare(
      '_[?_]',
      global('list_optindex_optional_int', 'list(V), int', 'optional_type(V)'),
      global('optional_list_optindex_optional_int', 'optional_type(list(V)), int', 'optional_type(V)'),
      global('map_optindex_optional_value', 'map(K, V), K', 'optional_type(V)'),
      global('optional_map_optindex_optional_value', 'optional_type(map(K, V)), K', 'optional_type(V)'),
    ),
    declare(
      '_[_]',
      global('optional_list_index_int', 'optional_type(list(V)), int', 'optional_type(V)'),
      global('optional_map_index_value', 'optional_type(map(K, V)), K', 'optional_type(V)'),
    ),
    declare('last', method('list_last', 'list(V)', 'optional_type(V)', edge('last'))),
    declare('first', method('list_first', 'list(V)', 'optional_type(V)', edge('first'))),
    declare('optional.unwrap', global('optional_unwrap', 'list(optional_type(V))', 'list(V)', unwrap)),
    declare('unwrapOpt', method('optional_unwrapOpt', 'list(optional_type(V))', 'list(V)', unwrap)),
  ],
}
