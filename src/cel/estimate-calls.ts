/** Estimates of calls: least and greatest cost, and size of the result. They correspond to the costs in cost.ts. */
import type { Expression } from './ast.ts'
import { CHECK_COST, LIST_COST, REGEX_FACTOR, STRUCT_COST, TEXT_FACTOR } from './cost.ts'
import { exactly, NOTHING, ONE, plus, type Range, scaled, times, UNBOUNDED, UNKNOWN } from './estimate-range.ts'
import { type CelType, isSameType } from './types.ts'

export interface Operand {
  readonly node: Expression
  readonly type: CelType
  /** Its size, if it is known. */
  readonly size: Range | undefined
  /** Returns the declared size of the elements of a list; undefined if it is not declared. */
  readonly elementSize: () => Range | undefined
}

/** A call of one overload. */
interface EstimatedCall {
  readonly name: string
  readonly overload: string
  readonly receiver: Operand | undefined
  readonly operands: readonly Operand[]
}

/** The cost of a call without its arguments, and the size of its result, if it is known. */
export interface CallEstimate {
  readonly cost: Range
  readonly size?: Range
}

type Estimate = (call: EstimatedCall) => CallEstimate | undefined

const sizeOf = (operand: Operand | undefined): Range => operand?.size ?? UNKNOWN

const nominal: Estimate = () => ({ cost: ONE })

const MAX_FORMAT_REGEX = 128
const MAX_FORMAT_NAME = 64

/** The estimate for traversing the first argument. */
const visitingArgument =
  (factor = 1): Estimate =>
  ({ operands: [first] }) =>
    first === undefined ? undefined : { cost: scaled(sizeOf(first), factor * TEXT_FACTOR) }

/** The estimate for traversing the first argument and returning a value of its size. */
const readingArgument: Estimate = ({ operands }) => {
  const size = sizeOf(operands[0])
  return operands.length === 1 ? { cost: scaled(size, TEXT_FACTOR), size } : undefined
}

const readingTarget: Estimate = ({ receiver }) => {
  const size = sizeOf(receiver)
  return receiver === undefined ? undefined : { cost: scaled(size, TEXT_FACTOR), size }
}

const isTextual = (type: CelType): boolean => type.kind === 'string' || type.kind === 'bytes'

/** The estimate for traversing all elements of a list, text elements completely, or all characters of a text. */
const visitingElements: Estimate = ({ receiver }) => {
  if (receiver === undefined) return undefined
  const [element] = receiver.type.parameters
  if (element === undefined) return { cost: scaled(sizeOf(receiver), TEXT_FACTOR) }
  const each = isTextual(element) ? plus(ONE, scaled(receiver.elementSize() ?? UNKNOWN, TEXT_FACTOR)) : ONE
  return { cost: times(sizeOf(receiver), each) }
}

/** Returns the greatest number of replacements, and how much of the text then remains. */
function mostReplaced(text: Range, old: Range, by: Range): { readonly count: number; readonly kept: number } {
  if (old.min === 0) return { count: text.max < UNBOUNDED ? text.max + 1 : text.max, kept: text.max }
  return by.max <= old.min ? { count: 0, kept: text.max } : { count: Math.ceil(text.max / old.min), kept: 0 }
}

function leastReplaced(text: Range, old: Range, by: Range): { readonly count: number; readonly kept: number } {
  if (old.max === 0) return { count: text.min < UNBOUNDED ? text.min + 1 : text.min, kept: text.min }
  return old.max <= by.min ? { count: 0, kept: text.min } : { count: Math.ceil(text.min / old.max), kept: 0 }
}

const replacing: Estimate = ({ receiver, operands }) => {
  if (receiver === undefined || operands.length < 2) return undefined
  const [text, old, by] = [sizeOf(receiver), sizeOf(operands[0]), sizeOf(operands[1])]
  const [most, least] = [mostReplaced(text, old, by), leastReplaced(text, old, by)]
  const count = { min: least.count, max: most.count }
  const size = plus(times(count, by), { min: least.kept, max: most.kept })
  return { cost: scaled(text, 2 * TEXT_FACTOR), size }
}

/** Returns the int of a literal; undefined for other expressions. */
function literalInt(operand: Operand | undefined): number | undefined {
  const node = operand?.node
  if (node?.kind !== 'literal') return undefined
  return typeof node.value === 'number' || typeof node.value === 'bigint' ? Number(node.value) : undefined
}

const splitting: Estimate = ({ receiver, operands }) => {
  if (receiver === undefined) return undefined
  const text = sizeOf(receiver)
  const limit = literalInt(operands[1])
  const max = limit === undefined ? text.max : limit < 0 ? UNBOUNDED + limit : limit
  return { cost: scaled(text, 2 * TEXT_FACTOR), size: { min: 0, max } }
}

const joining: Estimate = ({ receiver, operands: [separator] }) => {
  if (receiver === undefined) return undefined
  const list = sizeOf(receiver)
  // The elements are not counted unless the type is declared as a list.
  const elements = receiver.type.kind === 'list' ? times(list, receiver.elementSize() ?? UNKNOWN) : NOTHING
  const separators = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) }
  const size = separator === undefined ? elements : plus(elements, times(sizeOf(separator), separators))
  return { cost: scaled(size, TEXT_FACTOR), size }
}

/** Returns the cost of matching a text of this size against a pattern of this size. */
function matchingCost(text: Range, pattern: Range): Range {
  return times(scaled(plus(text, ONE), TEXT_FACTOR), scaled(pattern, REGEX_FACTOR))
}

const finding: Estimate = ({ receiver, operands: [pattern] }) => {
  if (receiver === undefined || pattern === undefined) return undefined
  const text = sizeOf(receiver)
  return { cost: matchingCost(text, sizeOf(pattern)), size: { min: 0, max: text.max } }
}

const matching: Estimate = ({ receiver, operands: [pattern] }) =>
  receiver === undefined || pattern === undefined ? undefined : { cost: matchingCost(sizeOf(receiver), sizeOf(pattern)) }

const selecting: Estimate = ({ operands }) => {
  const [selector] = operands
  if (selector === undefined || operands.length !== 1) return undefined
  const text = sizeOf(selector)
  const requirements = scaled(scaled(text, 0.5), LIST_COST + STRUCT_COST)
  return { cost: plus(exactly(LIST_COST), scaled(text, TEXT_FACTOR), requirements) }
}

/** The size of an IP address in bytes. */
const ADDRESS: Range = { min: 4, max: 16 }

const containing =
  (extra: Range, parsed: string): Estimate =>
  ({ overload, operands: [other] }) => {
    if (other === undefined) return undefined
    const base = plus(scaled(plus(ADDRESS, ADDRESS), TEXT_FACTOR), extra)
    return { cost: overload === parsed ? plus(base, scaled(sizeOf(other), TEXT_FACTOR)) : base }
  }

const validating: Estimate = ({ operands: [text] }) =>
  text === undefined ? undefined : { cost: scaled(scaled(sizeOf(text), TEXT_FACTOR), MAX_FORMAT_REGEX * REGEX_FACTOR) }

/** The types whose values are compared in one step. */
const ONE_STEP: ReadonlySet<string> = new Set([
  'net.IP',
  'net.CIDR',
  'kubernetes.Quantity',
  'kubernetes.Semver',
  'kubernetes.authorization.Authorizer',
  'kubernetes.authorization.PathCheck',
  'kubernetes.authorization.GroupCheck',
  'kubernetes.authorization.ResourceCheck',
  'kubernetes.authorization.Decision',
])

const comparingOpaque: Estimate = ({ operands: [a, b] }) => {
  if (a === undefined || b === undefined || !isSameType(a.type, b.type)) return undefined
  if (ONE_STEP.has(a.type.name)) return { cost: ONE }
  if (a.type.name === 'kubernetes.NamedFormat') return { cost: scaled({ min: 1, max: MAX_FORMAT_NAME }, TEXT_FACTOR) }
  return a.type.name === 'kubernetes.URL' ? { cost: scaled({ min: 1, max: b.size?.max ?? 1 }, TEXT_FACTOR) } : undefined
}

const named = (estimate: Estimate, names: string): [string, Estimate][] => names.split(' ').map((name) => [name, estimate])

/** Kubernetes' estimates, by function name. */
const BY_FUNCTION: ReadonlyMap<string, Estimate> = new Map([
  ...named(() => ({ cost: exactly(CHECK_COST) }), 'check'),
  ...named(nominal, 'serviceAccount path group resource subresource namespace name allowed reason error errored'),
  ...named(
    nominal,
    'masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast',
  ),
  ...named(nominal, 'format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub'),
  ...named(nominal, 'major minor patch getScheme getHostname getHost getPort getEscapedPath getQuery'),
  ...named(selecting, 'fieldSelector labelSelector'),
  ...named(visitingElements, 'isSorted sum max min indexOf lastIndexOf'),
  ...named(readingArgument, 'url jsonpatch.escapeKey'),
  ...named(readingTarget, 'lowerAscii upperAscii substring trim'),
  ...named(replacing, 'replace'),
  ...named(splitting, 'split'),
  ...named(joining, 'join'),
  ...named(finding, 'find findAll'),
  ...named(visitingArgument(), 'cidr isIP isCIDR quantity isQuantity semver isSemver'),
  ...named((call) => (call.overload === 'cidr_ip' ? { cost: ONE } : visitingArgument()(call)), 'ip'),
  ...named(visitingArgument(2), 'ip.isCanonical'),
  ...named(containing(exactly(0), 'cidr_contains_ip_string'), 'containsIP'),
  ...named(containing(plus(scaled(ADDRESS, TEXT_FACTOR), ONE), 'cidr_contains_cidr_string'), 'containsCIDR'),
  ...named(validating, 'validate'),
  ...named(comparingOpaque, '_==_'),
])

/** Returns the estimate of a call that makes a list of this size. */
function allocating(size: Range, factor = 1): CallEstimate {
  return { cost: plus(scaled(size, factor), ONE, exactly(LIST_COST)), size }
}

/** Returns the int of a literal, at least zero; `otherwise` for other expressions. */
function intOr(operand: Operand | undefined, otherwise: number): number {
  const value = literalInt(operand)
  return value === undefined ? otherwise : Math.max(0, value)
}

const slicing: Estimate = ({ receiver, operands: [start, end] }) => {
  const length = intOr(end, sizeOf(receiver).max) - intOr(start, 0)
  return allocating(exactly(length < 0 ? UNBOUNDED + length : length))
}

const flattening: Estimate = ({ receiver, operands: [depth] }) =>
  allocating(sizeOf(receiver), depth === undefined ? 1 : intOr(depth, UNBOUNDED))

/** Returns the estimate of comparing all elements of a list with each other. */
function selfComparing(list: Operand | undefined, factor: number): CallEstimate {
  const size = sizeOf(list)
  return allocating(times(size, size), factor)
}

const sorting =
  (factor: number): Estimate =>
  ({ receiver, operands: [keys] }) =>
    selfComparing(keys ?? receiver, factor)

const sets =
  (factor: number): Estimate =>
  ({ operands: [a, b] }) => ({ cost: plus(scaled(times(sizeOf(a), sizeOf(b)), factor), ONE) })

function sortingEstimate(overload: string): Estimate | undefined {
  if (!/^list_\w+_(?:sort|sortByAssociatedKeys)$/.test(overload)) return undefined
  return sorting(/^list_(?:string|bytes)_/.test(overload) ? 2 + TEXT_FACTOR : 2)
}

/** The estimates of extensions, by overload. They take precedence over all others. */
const BY_EXTENSION: ReadonlyMap<string, Estimate> = new Map([
  ...named(slicing, 'list_slice'),
  ...named(flattening, 'list_flatten list_flatten_int'),
  ...named(({ operands: [length] }) => allocating(exactly(intOr(length, UNBOUNDED))), 'lists_range'),
  ...named(({ receiver }) => allocating(sizeOf(receiver)), 'list_reverse'),
  ...named(({ receiver }) => selfComparing(receiver, 2), 'list_distinct'),
  ...named(sets(1), 'list_sets_contains_list list_sets_intersects_list'),
  ...named(sets(2), 'list_sets_equivalent_list'),
])

/** The estimate of a conversion between text and bytes: a character has up to four bytes. */
const encoding: Estimate = (call) => {
  const size = sizeOf(call.operands[0])
  return { cost: scaled(size, TEXT_FACTOR), size: { min: size.min, max: Math.min(UNBOUNDED, size.max * 4) } }
}

const decoding: Estimate = (call) => {
  const size = sizeOf(call.operands[0])
  return { cost: scaled(size, TEXT_FACTOR), size: { min: Math.trunc(size.min / 4), max: size.max } }
}

const quoting: Estimate = (call) => {
  const size = sizeOf(call.operands[0])
  // The largest number overflows to zero upstream.
  const max = size.max === UNBOUNDED ? 0 : size.max * 2 + 2
  return { cost: scaled(size, TEXT_FACTOR), size: { min: size.min + 2, max } }
}

const searching: Estimate = ({ receiver, operands: [part] }) =>
  receiver === undefined || part === undefined
    ? undefined
    : { cost: times(scaled(sizeOf(receiver), TEXT_FACTOR), scaled(sizeOf(part), TEXT_FACTOR)) }

const concatenating: Estimate = ({ overload, operands: [a, b] }) => {
  const size = plus(sizeOf(a), sizeOf(b))
  return { cost: overload === 'add_list' ? ONE : scaled(size, TEXT_FACTOR), size }
}

const comparing: Estimate = ({ operands: [a, b] }) => {
  const max = Math.min(sizeOf(a).max, sizeOf(b).max)
  return { cost: scaled({ min: max > 0 ? 1 : 0, max }, TEXT_FACTOR) }
}

const membership: Estimate = ({ operands: [, list] }) => ({ cost: sizeOf(list) })

const formatting: Estimate = ({ receiver }) =>
  receiver === undefined ? undefined : { cost: scaled(sizeOf(receiver), TEXT_FACTOR) }

/** CEL's estimates, by overload. */
const BY_OVERLOAD: ReadonlyMap<string, Estimate> = new Map([
  ...named(formatting, 'string_format'),
  ...named(encoding, 'string_to_bytes'),
  ...named(decoding, 'bytes_to_string'),
  ...named(quoting, 'strings_quote'),
  ...named(({ operands: [part] }) => ({ cost: scaled(sizeOf(part), TEXT_FACTOR) }), 'starts_with_string ends_with_string'),
  ...named(membership, 'in_list'),
  ...named(matching, 'matches_string'),
  ...named(searching, 'contains_string'),
  ...named(concatenating, 'add_string add_bytes add_list'),
  ...named(comparing, 'less_string greater_string less_equals_string greater_equals_string'),
  ...named(comparing, 'less_bytes greater_bytes less_equals_bytes greater_equals_bytes equals not_equals'),
])

/** Returns the estimate of a call of one overload, without its arguments. */
export function callEstimate(call: EstimatedCall): CallEstimate {
  const { name, overload } = call
  const extension = BY_EXTENSION.get(overload) ?? sortingEstimate(overload)
  return extension?.(call) ?? BY_FUNCTION.get(name)?.(call) ?? BY_OVERLOAD.get(overload)?.(call) ?? { cost: ONE }
}
