/** The library of comprehensions with two variables. */
import { GrowingMap } from '../collections.ts'
import { declare, global, type Implementation } from '../declarations.ts'
import { formatValue } from '../format-value.ts'
import type { Library } from '../library.ts'
import { TWO_VARIABLE_MACROS } from '../macros.ts'
import { CelError, MapValue, NO_SUCH_OVERLOAD, type Value } from '../value.ts'

/** Adds entries to a map. The map that a fold builds grows in place. */
function inserted(map: Value | undefined, entries: readonly (readonly [Value, Value])[]): Value {
  if (!(map instanceof MapValue)) return NO_SUCH_OVERLOAD
  const growing = map instanceof GrowingMap ? map : GrowingMap.from(map)
  for (const [key, value] of entries) {
    const done = growing.insert(key, value)
    if (done instanceof CelError) return done
    if (!done) return new CelError(`insert failed: key ${formatValue(key)} already exists`)
  }
  return growing
}

const insertEntry: Implementation = ([map, key = null, value = null]) => inserted(map, [[key, value]])

const insertMap: Implementation = ([map, other]) => {
  if (!(other instanceof MapValue)) return NO_SUCH_OVERLOAD
  return inserted(
    map,
    other.keys().map((key): [Value, Value] => [key, other.find(key) ?? null]),
  )
}

export const COMPREHENSIONS: Library = {
  macros: TWO_VARIABLE_MACROS,
  functions: [
    declare(
      'cel.@mapInsert',
      global('@mapInsert_map_key_value', 'map(K, V), K, V', 'map(K, V)', insertEntry),
      global('@mapInsert_map_map', 'map(K, V), map(K, V)', 'map(K, V)', insertMap),
    ),
  ],
}
