/**
 * Checks that many kinds share. A function whose name begins with `check` adds its errors to `errors`, in the order in which
 * kube-apiserver reports them, and returns nothing: most objects are valid, and no arrays are created for them.
 */
import { isRawNumber } from '../../go/json.ts'
import {
  asJson,
  duplicate,
  ErrorRoom,
  type FieldError,
  forbiddenValue,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
  valueNotFound,
} from '../../meta/field-error.ts'
import { isPortName } from '../../meta/identifiers.ts'
import { inclusiveRangeError, isDns1123Label, isDns1123Subdomain, isQualifiedName } from '../../meta/names.ts'
import { compareQuantities } from '../../meta/quantity.ts'
import { formatIp, hostBits, parseCidr, parseIp } from '../../net/ip.ts'
import { emptyMap } from '../../schema/explicit-empty.ts'

/** Ends the validation of an object with more errors than a Status reports: nobody would see the others. */
class TooManyErrors extends Error {
  readonly errors: Errors

  constructor(errors: Errors) {
    super('too many errors')
    this.errors = errors
  }
}

/**
 * Collects the errors of an object, in the order in which kube-apiserver reports them, as many as a Status reports: then it ends the
 * validation. The methods take the path of a field and add the error of the same name, as meta/field-error.ts formats it.
 */
export class Errors extends Array<FieldError> {
  readonly #room = new ErrorRoom()

  /** @throws TooManyErrors, which `withinBound` catches */
  override push(...errors: readonly FieldError[]): number {
    for (const error of errors) {
      if (!this.#room.isLeft) throw new TooManyErrors(this)
      this.#room.take(error)
      super.push(error)
    }
    return this.length
  }

  required(field: string, detail?: string): void {
    this.push(required(field, detail))
  }

  invalid(field: string, value: unknown, detail: string): void {
    this.push(invalidValue(field, value, detail))
  }

  /** Adds an error that does not show the value. */
  invalidAlone(field: string, detail: string): void {
    this.push({ reason: 'FieldValueInvalid', field, text: `Invalid value: ${detail}` })
  }

  forbidden(field: string, detail: string): void {
    this.push(forbiddenValue(field, detail))
  }

  /** A text is a value of an enumeration, which is shown as JSON. */
  notSupported(field: string, value: unknown, supported: readonly string[]): void {
    this.push(notSupported(field, typeof value === 'string' ? asJson(value) : value, supported))
  }

  /** The field is a plain text and not an enumeration. */
  textNotSupported(field: string, text: string, supported: readonly string[]): void {
    this.push(notSupported(field, text, supported))
  }

  duplicate(field: string, value: unknown): void {
    this.push(duplicate(field, value))
  }

  notFound(field: string, value: unknown): void {
    this.push(valueNotFound(field, value))
  }

  tooLong(field: string, max: number): void {
    this.push(tooLong(field, max))
  }

  tooMany(field: string, actual: number, max: number): void {
    this.push(tooMany(field, actual, max))
  }

  /** Checks that an enumeration value is one of `supported`. An absent value is valid. */
  checkEnum(value: string | undefined, supported: readonly string[], field: string): void {
    if (value !== undefined && !supported.includes(value)) this.notSupported(field, value, supported)
  }

  /** Checks that the value is not in `seen`, then adds it. The error quotes `reported` instead of the value. */
  checkUnique<T>(seen: Set<T>, value: T, field: string, reported: unknown = value): void {
    if (seen.has(value)) this.duplicate(field, reported)
    seen.add(value)
  }

  /** Adds one error for each message about the value. */
  checkMessages(messages: readonly string[], value: unknown, field: string): void {
    for (const message of messages) this.invalid(field, value, message)
  }

  /** Checks that the value is one of `supported`. */
  checkSupported(value: string, supported: readonly string[], field: string): void {
    if (!supported.includes(value)) this.notSupported(field, value, supported)
  }

  /** Checks that the value is present and one of `supported`. */
  checkRequiredSupported(value: string | undefined, supported: readonly string[], field: string): void {
    if (value === undefined || value === '') this.required(field)
    else this.checkSupported(value, supported, field)
  }

  /** Checks a DNS label (RFC 1123). */
  checkDnsLabel(value: string, field: string): void {
    this.checkMessages(isDns1123Label(value), value, field)
  }

  /** Checks a DNS subdomain (RFC 1123). */
  checkDnsSubdomain(value: string, field: string): void {
    this.checkMessages(isDns1123Subdomain(value), value, field)
  }

  /** Checks a qualified name: `example.com/name`. */
  checkQualifiedName(value: string, field: string): void {
    this.checkMessages(isQualifiedName(value), value, field)
  }

  /** Checks a port number. */
  checkPortNumber(value: number, field: string): void {
    if (!(value >= 1 && value <= lastPort)) this.invalid(field, value, inclusiveRangeError(1, lastPort))
  }

  /** Checks a port number or a port name. */
  checkPort(value: number | string, field: string): void {
    if (typeof value === 'string') this.checkMessages(isPortName(value), value, field)
    else this.checkPortNumber(value, field)
  }

  /** Checks that a number is not negative. An absent value is valid. */
  checkNonNegative(value: number | null | undefined, field: string): void {
    if (value !== undefined && value !== null && value < 0) this.invalid(field, value, negative)
  }

  /** Checks that a quantity is not negative. */
  checkNonNegativeQuantity(value: string, field: string): void {
    if (value.startsWith('-') && compareQuantities(value, '0') < 0) this.invalid(field, value, negative)
  }

  /** Checks that the field has not changed (ValidateImmutableField). */
  checkImmutable(value: unknown, old: unknown, field: string): void {
    if (!isSame(value, old)) this.invalid(field, value, immutable)
  }

  /** Checks that an enumeration, or a pointer to a text, has not changed. */
  checkImmutableChoice(value: string | null | undefined, old: string | null | undefined, field: string): void {
    if (value !== old) this.invalid(field, typeof value === 'string' ? asJson(value) : value, immutable)
  }
}

/**
 * Turns a check that adds to `errors` into a function that returns the errors.
 * @param check takes the list of errors, then the arguments of the returned function
 * @example
 * const validateThing = validator((errors, { spec }: Thing, old?: Thing) => {
 *   if (spec.name === '') errors.required('spec.name')
 *   if (old !== undefined) errors.checkImmutable(spec.name, old.spec.name, 'spec.name')
 * })
 * validateThing({ spec: { name: '' } }) // one error with reason FieldValueRequired
 */
export function validator<Args extends readonly unknown[]>(
  check: (errors: Errors, ...args: Args) => void,
): (...args: Args) => Errors {
  return (...args) => collectErrors((errors) => check(errors, ...args))
}

/** Returns the errors of a validation; if it has more than a Status reports, those before its end. */
export function withinBound<T extends FieldError[]>(validate: () => T): T | Errors {
  try {
    return validate()
  } catch (error) {
    if (error instanceof TooManyErrors) return error.errors
    throw error
  }
}

/** Returns the errors that a check adds. */
export const collectErrors = (check: (errors: Errors) => void): Errors =>
  withinBound(() => {
    const errors = new Errors()
    check(errors)
    return errors
  })

const lastPort = 65535
const negative = 'must be greater than or equal to 0'
export const immutable = 'field is immutable'

/**
 * Returns the items of a list by their name, the first of each name. To search a list for every name of another takes quadratic
 * time, and both may be as long as a request.
 */
export function byName<T extends { readonly name?: string }>(items: readonly T[] | null | undefined): ReadonlyMap<string, T> {
  const first = new Map<string, T>()
  for (const item of items ?? []) if (!first.has(item.name ?? '')) first.set(item.name ?? '', item)
  return first
}

/** Returns the items of a list, each with its path: `<field>[<index>]`. */
export const itemsOf = <T>(list: readonly T[] | null | undefined, field: string): (readonly [field: string, item: T])[] =>
  (list ?? []).map((item, index) => [`${field}[${index}]`, item])

const none: ReadonlySet<string> = new Set()

/** Returns the error messages for an IP address in a field that predates strict IP validation. */
function ipProblems(value: string): string[] {
  if (parseIp(value) === undefined) return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']
  return [
    ...(/(?:^|\.)0\d/.test(value) ? ['must not have leading 0s'] : []),
    ...(isMapped(value) ? ['must not be an IPv4-mapped IPv6 address'] : []),
  ]
}

/** Returns the error messages for an IP address in a newer field, which must be in canonical form. */
export function canonicalIpProblems(value: string): string[] {
  const problems = ipProblems(value)
  const address = parseIp(value)
  if (problems.length > 0 || address === undefined || formatIp(address) === value) return problems
  return [`must be in canonical form ("${formatIp(address)}")`]
}

/**
 * Checks an IP address in a field that predates strict IP validation. Values in `before`, those of the old object, are not
 * checked.
 */
export function checkIp(value: string, field: string, errors: Errors, before: ReadonlySet<string> = none): void {
  if (!before.has(value)) errors.checkMessages(ipProblems(value), value, field)
}

const isMapped = (value: string): boolean => value.includes(':') && parseIp(value)?.family === 'IPv4'

/**
 * Checks a CIDR in a field that predates strict CIDR validation. Values in `before`, those of the old object, are not checked.
 */
export function checkCidr(value: string, field: string, errors: Errors, before: ReadonlySet<string> = none): void {
  if (before.has(value)) return
  const block = parseCidr(value)
  if (block === undefined) {
    errors.invalid(field, value, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')
  } else if (/(?:^|\.|\/)0\d/.test(value)) {
    errors.invalid(field, value, 'must not have leading 0s in IP or prefix length')
  } else if (isMapped(value.slice(0, value.indexOf('/')))) {
    errors.invalid(field, value, 'must not have an IPv4-mapped IPv6 address')
  } else if (hostBits(block) !== 0n) {
    errors.invalid(field, value, 'must not have bits set beyond the prefix length')
  }
}

/** Checks an IP address in a newer field, which must be in canonical form. */
export function checkCanonicalIp(value: string, field: string, errors: Errors): void {
  errors.checkMessages(canonicalIpProblems(value), value, field)
}

/** Checks a CIDR in a newer field, which must be in canonical form. */
export function checkCanonicalCidr(value: string, field: string, errors: Errors): void {
  const found = errors.length
  checkCidr(value, field, errors)
  const block = parseCidr(value)
  if (errors.length > found || block === undefined) return
  const canonical = `${formatIp(block.address)}/${block.prefix}`
  if (canonical !== value) errors.invalid(field, value, `must be in canonical form ("${canonical}")`)
}

const holdsNothing = (value: unknown): boolean => value === emptyMap || (Array.isArray(value) && value.length === 0)

/** Replaces a value before it is compared. */
type Reading = (value: unknown) => unknown

const asIs: Reading = (value) => value
const emptyAsNull: Reading = (value) => (holdsNothing(value) ? null : value)

/** Whether a value is a JavaScript object with members, and not a number that is written as a text of its own. */
const hasMembers = (value: object): value is Readonly<Record<string, unknown>> =>
  !Array.isArray(value) && !('toJSON' in value) && !isRawNumber(value)

/** Whether both lists have equal elements in the same order. */
const areSameElements = (a: readonly unknown[], b: readonly unknown[], read: Reading): boolean =>
  a.length === b.length && a.every((element, index) => isSameJson(element ?? null, b[index] ?? null, read))

/** Whether both objects have equal members in the same order. Undefined members are not written. */
function areSameMembers(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>, read: Reading): boolean {
  const names = Object.keys(a).filter((name) => a[name] !== undefined)
  const others = Object.keys(b).filter((name) => b[name] !== undefined)
  return (
    names.length === others.length && names.every((name, index) => name === others[index] && isSameJson(a[name], b[name], read))
  )
}

/** Whether two values have the same JSON. Ends at the first difference: a large object differs from a small one at once. */
function isSameJson(a: unknown, b: unknown, read: Reading): boolean {
  if (a === b) return true
  const [left, right] = [read(a), read(b)]
  if (left === null || right === null) return left === right
  if (typeof left !== 'object' || typeof right !== 'object') return JSON.stringify(left) === JSON.stringify(right)
  if (Array.isArray(left) && Array.isArray(right)) return areSameElements(left, right, read)
  if (Array.isArray(left) || Array.isArray(right)) return false
  if (hasMembers(left) && hasMembers(right)) return areSameMembers(left, right, read)
  return JSON.stringify(left) === JSON.stringify(right)
}

/** Returns whether two values are equal. Inside them, null equals an empty list or map. */
export const isSame = (a: unknown, b: unknown): boolean => isSameJson(a, b, asIs) || isSameJson(a, b, emptyAsNull)
