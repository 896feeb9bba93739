/**
 * Checks that many kinds share. A check that begins with `check` adds what it finds to `errors`, in the order in which
 * kube-apiserver tells of it, and gives nothing back: most objects are valid, and no arrays are made for them.
 */
import { type FieldError, invalidValue, notSupported, required } from '../../meta/field-error.ts'
import { isPortName } from '../../meta/identifiers.ts'
import { inclusiveRangeError, isDns1123Label, isDns1123Subdomain, isQualifiedName } from '../../meta/names.ts'
import { compareQuantities } from '../../meta/quantity.ts'
import { formatIp, hostBits, parseCidr, parseIp } from '../../net/ip.ts'
import { emptyMap } from '../../schema/explicit-empty.ts'

/** Where found errors are gathered. */
export type Errors = FieldError[]

const lastPort = 65535
const negative = 'must be greater than or equal to 0'
export const immutable = 'field is immutable'

/** Adds one error for each message about the value. */
export function checkMessages(messages: readonly string[], value: unknown, field: string, errors: Errors): void {
  for (const message of messages) errors.push(invalidValue(field, value, message))
}

/** The value must be one of `supported`. */
export function checkSupported(value: string, supported: readonly string[], field: string, errors: Errors): void {
  if (!supported.includes(value)) errors.push(notSupported(field, value, supported))
}

/** The value must be given and be one of `supported`. */
export function checkRequiredSupported(
  value: string | undefined,
  supported: readonly string[],
  field: string,
  errors: Errors,
): void {
  if (value === undefined || value === '') errors.push(required(field))
  else checkSupported(value, supported, field, errors)
}

/** A DNS label of RFC 1123. */
export function checkDnsLabel(value: string, field: string, errors: Errors): void {
  checkMessages(isDns1123Label(value), value, field, errors)
}

/** A DNS subdomain of RFC 1123. */
export function checkDnsSubdomain(value: string, field: string, errors: Errors): void {
  checkMessages(isDns1123Subdomain(value), value, field, errors)
}

/** A qualified name: `example.com/name`. */
export function checkQualifiedName(value: string, field: string, errors: Errors): void {
  checkMessages(isQualifiedName(value), value, field, errors)
}

/** The number of a port. */
export function checkPortNumber(value: number, field: string, errors: Errors): void {
  if (!(value >= 1 && value <= lastPort)) errors.push(invalidValue(field, value, inclusiveRangeError(1, lastPort)))
}

/** The number of a port, or the name of one. */
export function checkPort(value: number | string, field: string, errors: Errors): void {
  if (typeof value === 'string') checkMessages(isPortName(value), value, field, errors)
  else checkPortNumber(value, field, errors)
}

/** A number that must not be below zero; absent is good. */
export function checkNonNegative(value: number | null | undefined, field: string, errors: Errors): void {
  if (value !== undefined && value !== null && value < 0) errors.push(invalidValue(field, value, negative))
}

/** A quantity that must not be below zero. */
export function checkNonNegativeQuantity(value: string, field: string, errors: Errors): void {
  if (value.startsWith('-') && compareQuantities(value, '0') < 0) errors.push(invalidValue(field, value, negative))
}

/** What is wrong with an address as fields of long standing take it. */
function ipProblems(value: string): string[] {
  if (parseIp(value) === undefined) return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']
  return [
    ...(/(?:^|\.)0\d/.test(value) ? ['must not have leading 0s'] : []),
    ...(isMapped(value) ? ['must not be an IPv4-mapped IPv6 address'] : []),
  ]
}

/** What is wrong with an address as newer fields take it: in its canonical form. */
export function canonicalIpProblems(value: string): string[] {
  const problems = ipProblems(value)
  const address = parseIp(value)
  if (problems.length > 0 || address === undefined || formatIp(address) === value) return problems
  return [`must be in canonical form ("${formatIp(address)}")`]
}

/** An address as fields of long standing take it, strictly checked unless the object had it before. */
export function checkIp(value: string, field: string, errors: Errors, before: readonly string[] = []): void {
  if (!before.includes(value)) checkMessages(ipProblems(value), value, field, errors)
}

const isMapped = (value: string): boolean => value.includes(':') && parseIp(value)?.family === 'IPv4'

/** A block of addresses as fields of long standing take it. */
export function checkCidr(value: string, field: string, errors: Errors, before: readonly string[] = []): void {
  if (before.includes(value)) return
  const block = parseCidr(value)
  if (block === undefined) {
    errors.push(invalidValue(field, value, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'))
  } else if (/(?:^|\.|\/)0\d/.test(value)) {
    errors.push(invalidValue(field, value, 'must not have leading 0s in IP or prefix length'))
  } else if (isMapped(value.slice(0, value.indexOf('/')))) {
    errors.push(invalidValue(field, value, 'must not have an IPv4-mapped IPv6 address'))
  } else if (hostBits(block) !== 0n) {
    errors.push(invalidValue(field, value, 'must not have bits set beyond the prefix length'))
  }
}

/** An address as newer fields take it: in its canonical form. */
export function checkCanonicalIp(value: string, field: string, errors: Errors): void {
  checkMessages(canonicalIpProblems(value), value, field, errors)
}

/** A block of addresses as newer fields take it. */
export function checkCanonicalCidr(value: string, field: string, errors: Errors): void {
  const found = errors.length
  checkCidr(value, field, errors)
  const block = parseCidr(value)
  if (errors.length > found || block === undefined) return
  const canonical = `${formatIp(block.address)}/${block.prefix}`
  if (canonical !== value) errors.push(invalidValue(field, value, `must be in canonical form ("${canonical}")`))
}

const holdsNothing = (value: unknown): boolean => value === emptyMap || (Array.isArray(value) && value.length === 0)

const withoutEmpty = (value: unknown): string | undefined =>
  JSON.stringify(value, (_key, part: unknown) => (holdsNothing(part) ? null : part))

/** Whether two values of an object are the same: below them, null is as good as a list or map that holds nothing. */
export const isSame = (a: unknown, b: unknown): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b) || withoutEmpty(a) === withoutEmpty(b)

/** The field must be as it was (ValidateImmutableField). */
export function checkImmutable(value: unknown, old: unknown, field: string, errors: Errors): void {
  if (!isSame(value, old)) errors.push(invalidValue(field, value, immutable))
}
