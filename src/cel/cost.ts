/**
 * The runtime cost of calls, in Kubernetes' units: library/cost.go of k8s.io/apiserver, and for other functions CEL's
 * interpreter/runtimecost.go. A unit is about 50 ns; text costs a tenth of a unit per character.
 */

import { countSteps } from './budget.ts'
import { codePointLength } from './text.ts'
import { isInt, ListValue, MapValue, OpaqueValue, OptionalValue, type Value } from './value.ts'

export const TEXT_FACTOR = 0.1
export const REGEX_FACTOR = 0.25
export const LIST_COST = 10
export const MAP_COST = 30
export const STRUCT_COST = 40

/** The cost of an authorizer check: two of them fit in one expression. */
export const CHECK_COST = 350_000

/** Returns the cost of a call with these arguments, the target first, and this result. */
export type CallCost = (args: readonly Value[], result: Value) => number

/** Returns the size of a value: characters, bytes, elements or entries; 1 for values without a size. */
export function sizeOf(value: Value | undefined): number {
  if (typeof value === 'string') return codePointLength(value)
  if (value instanceof ListValue || value instanceof MapValue) return value.size
  if (value instanceof Uint8Array) return value.length
  if (value instanceof OptionalValue) return value.value === undefined ? 1 : sizeOf(value.value)
  return value instanceof OpaqueValue ? (value.size ?? 1) : 1
}

const traversal =
  (argument: number, factor = 1): CallCost =>
  (args) =>
    Math.ceil(sizeOf(args[argument]) * factor * TEXT_FACTOR)

const nominal: CallCost = () => 1

/** Returns the cost of traversing a value completely. */
function visiting(value: Value): number {
  countSteps(1)
  if (typeof value === 'string') return Math.trunc(new TextEncoder().encode(value).length * TEXT_FACTOR)
  if (value instanceof Uint8Array) return Math.trunc(value.length * TEXT_FACTOR)
  if (value instanceof ListValue) {
    let cost = 0
    for (let i = 0; i < value.size; i++) cost += visiting(value.at(i))
    return cost
  }
  if (!(value instanceof MapValue)) return 1
  return value.keys().reduce((cost: number, key) => cost + visiting(key) + visiting(value.find(key) ?? null), 0)
}

const visitingTarget: CallCost = ([target]) => (target === undefined ? 0 : visiting(target))

/** Returns the cost of matching: the cost of the text times the cost of the pattern. */
export function regexCost(textSize: number, patternSize: number): number {
  return Math.ceil((1 + textSize) * TEXT_FACTOR) * Math.ceil(patternSize * REGEX_FACTOR)
}

const matching: CallCost = ([text, pattern]) => regexCost(sizeOf(text), sizeOf(pattern))

/** Returns the cost of parsing a selector: one requirement for every two characters, each a list and a struct. */
export function selectorCost(length: number): number {
  return LIST_COST + Math.ceil(length * TEXT_FACTOR) + Math.ceil(Math.ceil(length * 0.5) * (LIST_COST + STRUCT_COST))
}

const containing =
  (base: CallCost, parsed: string) =>
  (overload: string): CallCost =>
    overload === parsed ? (args, result) => base(args, result) + Math.ceil(sizeOf(args[1]) * TEXT_FACTOR) : base

const containsIp: CallCost = ([cidr]) => Math.ceil(2 * sizeOf(cidr) * TEXT_FACTOR)
const containsCidr: CallCost = ([cidr]) => Math.ceil(2 * sizeOf(cidr) * TEXT_FACTOR) + Math.ceil(sizeOf(cidr) * TEXT_FACTOR) + 1

/** Whether Kubernetes counts comparing such values as one unit. */
const isOpaque = (value: Value | undefined): boolean => value instanceof OpaqueValue

const comparing: CallCost = ([a, b]) => Math.ceil(Math.min(sizeOf(a), sizeOf(b)) * TEXT_FACTOR)
const joining: CallCost = ([a, b]) => Math.ceil((sizeOf(a) + sizeOf(b)) * TEXT_FACTOR)
const searching: CallCost = ([a, b]) => Math.ceil(sizeOf(a) * TEXT_FACTOR) * Math.ceil(sizeOf(b) * TEXT_FACTOR)
const equality: CallCost = (args, result) => (isOpaque(args[0]) ? 1 : comparing(args, result))

const validating: CallCost = ([format, text]) => {
  const size = format instanceof OpaqueValue && 'maxRegexSize' in format ? Number(format.maxRegexSize) : 1
  return regexCost(sizeOf(text), size)
}

const names = (cost: CallCost, ...functions: readonly string[]): [string, CallCost][] => functions.map((name) => [name, cost])

/** Kubernetes' costs, by function name. */
const BY_FUNCTION: ReadonlyMap<string, CallCost> = new Map([
  ...names(() => CHECK_COST, 'check'),
  ...names(nominal, 'serviceAccount', 'path', 'group', 'resource', 'subresource', 'namespace', 'name', 'allowed', 'reason'),
  ...names(nominal, 'error', 'errored', 'masked', 'prefixLength', 'family', 'isUnspecified', 'isLoopback'),
  ...names(nominal, 'isLinkLocalMulticast', 'isLinkLocalUnicast', 'isGlobalUnicast', 'format.named', 'sign', 'asInteger'),
  ...names(nominal, 'isInteger', 'asApproximateFloat', 'isGreaterThan', 'isLessThan', 'compareTo', 'add', 'sub', 'major'),
  ...names(nominal, 'minor', 'patch', 'getScheme', 'getHostname', 'getHost', 'getPort', 'getEscapedPath', 'getQuery'),
  ...names((args) => selectorCost(sizeOf(args[1])), 'fieldSelector', 'labelSelector'),
  ...names(visitingTarget, 'isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'),
  ...names(traversal(0), 'url', 'lowerAscii', 'upperAscii', 'substring', 'trim', 'jsonpatch.escapeKey', 'cidr', 'isIP', 'isCIDR'),
  ...names(traversal(0), 'ip', 'quantity', 'isQuantity', 'semver', 'isSemver'),
  ...names(traversal(0, 2), 'replace', 'split', 'ip.isCanonical'),
  ...names((_args, result) => Math.ceil(sizeOf(result) * 2 * TEXT_FACTOR), 'join'),
  ...names(matching, 'find', 'findAll'),
  ...names(validating, 'validate'),
  ...names(equality, '_==_'),
])

/** Kubernetes' costs that depend on the overload. */
const BY_FUNCTION_AND_OVERLOAD: ReadonlyMap<string, (overload: string) => CallCost | undefined> = new Map<
  string,
  (overload: string) => CallCost | undefined
>([
  ['ip', (overload) => (overload === 'cidr_ip' ? nominal : undefined)],
  ['containsIP', containing(containsIp, 'cidr_contains_ip_string')],
  ['containsCIDR', containing(containsCidr, 'cidr_contains_cidr_string')],
])

const allocating = (size: number, factor = 1): number => Math.trunc(size * factor) + 1 + LIST_COST

/** Returns the cost of comparing all elements with each other; text costs a little more. */
const selfComparing =
  (argument: number): CallCost =>
  (args) => {
    const list = args[argument]
    // Upstream panics if the list is an error, and reports the panic.
    if (!(list instanceof ListValue)) throw new Error('interface conversion: *types.Err is not traits.Lister: missing method Add')
    if (list.size === 0) return allocating(0)
    const first = list.at(0)
    const factor = typeof first === 'string' || first instanceof Uint8Array ? 2 + TEXT_FACTOR : 2
    return allocating(list.size * list.size, factor)
  }

const output: CallCost = (_args, result) => allocating(sizeOf(result))
const flattening: CallCost = ([list, depth]) => allocating(sizeOf(list), depth !== undefined && isInt(depth) ? Number(depth) : 1)
const sets =
  (factor: number): CallCost =>
  ([a, b]) =>
    1 + sizeOf(a) * sizeOf(b) * factor

/** CEL's costs, by overload, if a call has a single one. */
const BY_OVERLOAD: ReadonlyMap<string, CallCost> = new Map([
  ...names(
    traversal(0),
    'starts_with_string',
    'ends_with_string',
    'string_to_bytes',
    'bytes_to_string',
    'strings_quote',
    'string_format',
  ),
  ...names(([, list]) => sizeOf(list), 'in_list'),
  ...names(comparing, 'less_string', 'greater_string', 'less_equals_string', 'greater_equals_string'),
  ...names(comparing, 'less_bytes', 'greater_bytes', 'less_equals_bytes', 'greater_equals_bytes', 'equals', 'not_equals'),
  ...names(joining, 'add_string', 'add_bytes'),
  ...names(matching, 'matches_string'),
  ...names(searching, 'contains_string'),
  ...names(output, 'list_slice', 'lists_range', 'list_reverse'),
  ...names(flattening, 'list_flatten', 'list_flatten_int'),
  ...names(selfComparing(0), 'list_distinct'),
  ...names(sets(1), 'list_sets_contains_list', 'list_sets_intersects_list'),
  ...names(sets(2), 'list_sets_equivalent_list'),
])

/** The extension overloads whose costs take precedence over all others. */
const FIRST = /^(?:list_slice|lists_range|list_reverse|list_flatten|list_flatten_int|list_distinct|list_sets_.*)$/

function sortingCost(overload: string): CallCost | undefined {
  if (overload.endsWith('_sortByAssociatedKeys')) return selfComparing(1)
  return /^list_.*_sort$/.test(overload) ? selfComparing(0) : undefined
}

/** Returns the cost function of a call, by function name and, if it is known, overload; undefined if the cost is always 1. */
export function callCost(name: string, overload: string): CallCost | undefined {
  if (FIRST.test(overload)) return BY_OVERLOAD.get(overload)
  return (
    sortingCost(overload) ?? BY_FUNCTION_AND_OVERLOAD.get(name)?.(overload) ?? BY_FUNCTION.get(name) ?? BY_OVERLOAD.get(overload)
  )
}
