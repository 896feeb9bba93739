/** Runtime type tests, for the dispatch by overloads. */
import { type CelType, DYN } from './types.ts'
import {
  Double,
  Duration,
  isInt,
  ListValue,
  MapValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './value.ts'

type Test = (value: Value, type: CelType) => boolean

/** The tests by kind. As in cel-go, the first element stands for all elements of a list or map. */
const TESTS: Readonly<Record<CelType['kind'], Test>> = {
  any: () => true,
  bool: (value) => typeof value === 'boolean',
  bytes: (value) => value instanceof Uint8Array,
  double: (value) => value instanceof Double,
  duration: (value) => value instanceof Duration,
  dyn: () => true,
  error: () => false,
  int: isInt,
  list: (value, { parameters: [element] }) =>
    value instanceof ListValue && (value.size === 0 || element === undefined || matchesType(element, value.at(0))),
  map: (value, { parameters: [key, element] }) => value instanceof MapValue && isMapOf(value, key, element),
  null: (value) => value === null,
  object: (value, { name }) => value instanceof MapValue || (value instanceof OpaqueValue && value.typeName === name),
  opaque: (value, { name }) =>
    name === 'optional_type' ? value instanceof OptionalValue : value instanceof OpaqueValue && value.typeName === name,
  param: () => true,
  string: (value) => typeof value === 'string',
  timestamp: (value) => value instanceof Timestamp,
  type: (value) => value instanceof TypeValue,
  uint: (value) => value instanceof Uint,
  wrapper: (value, { parameters: [inner = DYN] }) => value === null || matchesType(inner, value),
}

function isMapOf(map: MapValue, keyType: CelType | undefined, elementType: CelType | undefined): boolean {
  const [key] = map.size === 0 ? [] : map.keys()
  if (key === undefined || keyType === undefined || elementType === undefined) return true
  return matchesType(keyType, key) && matchesType(elementType, map.find(key) ?? null)
}

/** Whether the value has the type. */
export function matchesType(type: CelType, value: Value): boolean {
  return TESTS[type.kind](value, type)
}
