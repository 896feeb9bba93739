/** The types of the checker. */

/**
 * The kind of a type. `any` is like dyn but cannot be iterated; `param` is a type variable; `object` has declared fields;
 * `opaque` has only a name and parameters.
 */
export type Kind =
  | 'any'
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'object'
  | 'opaque'
  | 'param'
  | 'string'
  | 'timestamp'
  | 'type'
  | 'uint'
  | 'wrapper'

/** A type. Types without parameters are shared, so that most comparisons are by identity. */
export interface CelType {
  readonly kind: Kind
  readonly name: string
  readonly parameters: readonly CelType[]
}

const NO_PARAMETERS: readonly CelType[] = []

const simple = (kind: Kind, name: string = kind): CelType => ({ kind, name, parameters: NO_PARAMETERS })

export const ANY = simple('any', 'google.protobuf.Any')
export const BOOL = simple('bool')
export const BYTES = simple('bytes')
export const DOUBLE = simple('double')
export const DURATION = simple('duration', 'google.protobuf.Duration')
export const DYN = simple('dyn')
export const ERROR = simple('error')
export const INT = simple('int')
export const NULL = simple('null', 'null_type')
export const STRING = simple('string')
export const TIMESTAMP = simple('timestamp', 'google.protobuf.Timestamp')
export const TYPE = simple('type')
export const UINT = simple('uint')

/** Returns list(element). */
export function listOf(element: CelType): CelType {
  return { kind: 'list', name: 'list', parameters: [element] }
}

/** Returns map(key, value). */
export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: 'map', name: 'map', parameters: [key, value] }
}

/** Returns a type with declared fields. */
export function objectType(name: string): CelType {
  return simple('object', name)
}

/** Returns a type with only a name and parameters. */
export function opaqueType(name: string, ...parameters: readonly CelType[]): CelType {
  return { kind: 'opaque', name, parameters }
}

/** Returns wrapper(inner): a protobuf wrapper message, which reads as its value or null. */
export function wrapperOf(inner: CelType): CelType {
  return { kind: 'wrapper', name: 'wrapper', parameters: [inner] }
}

/** Returns optional_type(inner). */
export function optionalOf(inner: CelType): CelType {
  return opaqueType('optional_type', inner)
}

/** Returns type(inner). */
export function typeOf(inner: CelType): CelType {
  return { kind: 'type', name: 'type', parameters: [inner] }
}

/** Returns a type variable. */
export function typeParameter(name: string): CelType {
  return simple('param', name)
}

/** Whether the type is dyn or any. */
export function isDyn(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'any'
}

/** Whether the type is dyn, or an error was reported before. */
export function isDynOrError(type: CelType): boolean {
  return isDyn(type) || type.kind === 'error'
}

/** Returns the element type of an optional type; undefined for other types. */
export function optionalElement(type: CelType): CelType | undefined {
  return type.kind === 'opaque' && type.name === 'optional_type' ? type.parameters[0] : undefined
}

/** Returns a parameter of the type; dyn if it has no such parameter (`type` alone). */
export function parameterOf(type: CelType, index: number): CelType {
  return type.parameters[index] ?? DYN
}

/** Returns the type within a wrapper; other types unchanged. */
export const unwrapped = (type: CelType): CelType => (type.kind === 'wrapper' ? parameterOf(type, 0) : type)

/** How type variables are compared: by name, or all as equal. */
export type Sameness = 'exact' | 'equivalent'

/** Whether the types are equal. */
export function isSameType(a: CelType, b: CelType, sameness: Sameness = 'exact'): boolean {
  if (a === b) return true
  if (a.kind !== b.kind || a.parameters.length !== b.parameters.length) return false
  if ((sameness === 'exact' || a.kind !== 'param') && a.name !== b.name) return false
  return a.parameters.every((parameter, i) => isSameType(parameter, parameterOf(b, i), sameness))
}

/** The names of types in messages, if they differ from the runtime names. */
const MESSAGE_NAMES: Partial<Record<Kind, string>> = {
  any: 'any',
  duration: 'duration',
  timestamp: 'timestamp',
  null: 'null',
  error: '!error!',
}

/** Formats a type for messages. */
export function formatType(type: CelType): string {
  const messageName = MESSAGE_NAMES[type.kind]
  if (messageName !== undefined) return messageName
  return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(formatType).join(', ')})`
}

/** Formats a type by its runtime names. */
export function typeText({ name, parameters }: CelType): string {
  return parameters.length === 0 ? name : `${name}(${parameters.map(typeText).join(', ')})`
}

/** Formats the argument types of a call for messages: `string.(int, bool)`. */
export function formatSignature(target: CelType | undefined, parameters: readonly CelType[]): string {
  return `${target === undefined ? '' : `${formatType(target)}.`}(${parameters.map(formatType).join(', ')})`
}

const NAMED: ReadonlyMap<string, CelType> = new Map([
  ['bool', BOOL],
  ['bytes', BYTES],
  ['double', DOUBLE],
  ['duration', DURATION],
  ['dyn', DYN],
  ['int', INT],
  ['null', NULL],
  ['string', STRING],
  ['timestamp', TIMESTAMP],
  ['type', TYPE],
  ['uint', UINT],
])

/** The opaque library types; other types with a dot in their names are objects. */
const OPAQUE: ReadonlySet<string> = new Set(['net.IP', 'net.CIDR'])

/** Splits at the commas outside of parentheses. */
function splitTypes(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let i = 0; i <= text.length; i++) {
    const c = text[i]
    if (c === '(') depth++
    else if (c === ')') depth--
    else if (i === text.length || (c === ',' && depth === 0)) {
      const part = text.slice(start, i).trim()
      if (part !== '') parts.push(part)
      start = i + 1
    }
  }
  return parts
}

/** Parses types in a declaration: `list(T), map(string, dyn), net.IP`. A single capital letter is a type variable. */
export function readTypes(text: string): readonly CelType[] {
  return splitTypes(text).map(readType)
}

/** Parses one type in a declaration. */
export function readType(text: string): CelType {
  const named = NAMED.get(text)
  if (named !== undefined) return named
  const open = text.indexOf('(')
  if (open < 0) {
    if (/^[A-Z]$/.test(text)) return typeParameter(text)
    return OPAQUE.has(text) ? opaqueType(text) : objectType(text)
  }
  const parameters = readTypes(text.slice(open + 1, -1))
  const name = text.slice(0, open)
  const [first = DYN, second = DYN] = parameters
  if (name === 'list') return listOf(first)
  if (name === 'map') return mapOf(first, second)
  return name === 'type' ? typeOf(first) : optionalOf(first)
}
