/** Types as the checker knows them. */

/** What a type is. `any` is as dyn, but nothing can be visited in it; `param` is a type variable; `object` has declared fields; `opaque` is known by its name alone. */
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

/** A type. Types without parameters are shared, so that most comparisons are of references. */
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

/** list(element). */
export function listOf(element: CelType): CelType {
  return { kind: 'list', name: 'list', parameters: [element] }
}

/** map(key, value). */
export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: 'map', name: 'map', parameters: [key, value] }
}

/** A type with declared fields. */
export function objectType(name: string): CelType {
  return simple('object', name)
}

/** A type that is known by its name and its parameters. */
export function opaqueType(name: string, ...parameters: readonly CelType[]): CelType {
  return { kind: 'opaque', name, parameters }
}

/** wrapper(of): a message that is read as what it holds, or as null. */
export function wrapperOf(of: CelType): CelType {
  return { kind: 'wrapper', name: 'wrapper', parameters: [of] }
}

/** optional_type(of). */
export function optionalOf(of: CelType): CelType {
  return opaqueType('optional_type', of)
}

/** The type of a type. */
export function typeOf(of: CelType): CelType {
  return { kind: 'type', name: 'type', parameters: [of] }
}

/** A type variable. */
export function typeParameter(name: string): CelType {
  return simple('param', name)
}

/** Whether values of the type are of any type. */
export function isDyn(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'any'
}

/** Whether nothing can be said of the type: it is dyn, or an error was reported before. */
export function isDynOrError(type: CelType): boolean {
  return isDyn(type) || type.kind === 'error'
}

/** What an optional type holds, undefined for other types. */
export function optionalElement(type: CelType): CelType | undefined {
  return type.kind === 'opaque' && type.name === 'optional_type' ? type.parameters[0] : undefined
}

/** The type's parameter of that number; types that lack it (`type` alone) hold anything. */
export function parameterOf(type: CelType, index: number): CelType {
  return type.parameters[index] ?? DYN
}

/** The type of what a wrapper holds; other types themselves. */
export const unwrapped = (type: CelType): CelType => (type.kind === 'wrapper' ? parameterOf(type, 0) : type)

/** How two types are held against each other: variables by name, or any variable for any other. */
export type Sameness = 'exact' | 'equivalent'

/** Whether the types are the same. */
export function isSameType(a: CelType, b: CelType, sameness: Sameness = 'exact'): boolean {
  if (a === b) return true
  if (a.kind !== b.kind || a.parameters.length !== b.parameters.length) return false
  if ((sameness === 'exact' || a.kind !== 'param') && a.name !== b.name) return false
  return a.parameters.every((parameter, i) => isSameType(parameter, parameterOf(b, i), sameness))
}

/** The names under which messages show a type, where that is not its name at run time. */
const SHOWN: Partial<Record<Kind, string>> = {
  any: 'any',
  duration: 'duration',
  timestamp: 'timestamp',
  null: 'null',
  error: '!error!',
}

/** The type as messages show it. */
export function formatType(type: CelType): string {
  const shown = SHOWN[type.kind]
  if (shown !== undefined) return shown
  return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(formatType).join(', ')})`
}

/** The type by its names at run time. */
export function typeText({ name, parameters }: CelType): string {
  return parameters.length === 0 ? name : `${name}(${parameters.map(typeText).join(', ')})`
}

/** The arguments of a call as messages show them: `string.(int, bool)`. */
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

/** Types that libraries bring and that are opaque; the others with a dot in their names are objects. */
const OPAQUE: ReadonlySet<string> = new Set(['net.IP', 'net.CIDR'])

/** Splits at the commas that are not within parentheses. */
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

/** The types of a declaration's text: `list(T), map(string, dyn), net.IP`. A single capital is a variable. */
export function readTypes(text: string): readonly CelType[] {
  return splitTypes(text).map(readType)
}

/** The type of a declaration's text. */
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
