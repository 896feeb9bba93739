/**
 * Checks of declarative validation, whose messages differ from those of hand-written validation. Follows
 * k8s.io/apimachinery/pkg/api/validate. An update does not validate what has not changed.
 */
import { isDns1123Subdomain } from '../../meta/names.ts'
import { type Errors, immutable, isSame } from './checks.ts'

/** Checks that the members of a union are exactly one. @param members the names of all members */
export function checkUnion(object: object, members: readonly string[], field: string, errors: Errors): void {
  const present = members.filter((name) => (object as Readonly<Record<string, unknown>>)[name] !== undefined)
  const names = members.map((name) => `\`${name}\``).join(', ')
  if (present.length === 0) errors.invalid(field, '', `must specify one of: ${names}`)
  else if (present.length > 1) errors.invalid(field, `{${present.join(', ')}}`, `must specify exactly one of: ${names}`)
}

/** Checks that a value has not changed. Returns whether it may be validated further. */
export function checkUnchanged(value: unknown, old: unknown, field: string, errors: Errors): boolean {
  if (isSame(value ?? null, old ?? null)) return false
  errors.invalid(field, null, immutable)
  return false
}

/** Checks that a text is present and passes a check. */
export function checkRequiredText(
  text: string | undefined,
  field: string,
  check: (value: string) => readonly string[],
  errors: Errors,
): void {
  if (text === undefined || text === '') errors.required(field)
  else errors.checkMessages(check(text), text, field)
}

/** Checks a text that may be absent. */
export function checkOptionalText(
  text: string | undefined,
  field: string,
  check: (value: string) => readonly string[],
  errors: Errors,
): void {
  if (text !== undefined) errors.checkMessages(check(text), text, field)
}

/** Checks the least value of a number that may be absent. */
export function checkMinimum(value: number | undefined, least: number, field: string, errors: Errors): void {
  if (value !== undefined && value < least) errors.invalid(field, value, `must be greater than or equal to ${least}`)
}

/** Checks the greatest value of a number that may be absent. */
export function checkMaximum(value: number | undefined, greatest: number, field: string, errors: Errors): void {
  if (value !== undefined && value > greatest) errors.invalid(field, value, `must be less than or equal to ${greatest}`)
}

/** Checks that the keys of a list of maps are unique. The error shows the whole item. */
export function checkUniqueKeys<T>(list: readonly T[], keyOf: (item: T) => string, field: string, errors: Errors): void {
  const seen = new Set<string>()
  for (const [index, item] of list.entries()) errors.checkUnique(seen, keyOf(item), `${field}[${index}]`, item)
}

/** Returns the problems of a DNS subdomain in which the case of letters does not count. */
export const isSubdomainOfAnyCase = (value: string): string[] =>
  isDns1123Subdomain(value.toLowerCase()).map((text) =>
    text
      .replace('a lowercase RFC 1123 subdomain', 'an RFC 1123 subdomain')
      .replace('lower case alphanumeric', 'alphanumeric')
      .replace("'example.com'", "'Example.com'"),
  )

const longestPool = 253

/** Checks the name of a resource pool: DNS subdomains separated by slashes. */
export function checkResourcePoolName(name: string, field: string, errors: Errors): void {
  if (name.length > longestPool) errors.tooLong(field, longestPool)
  for (const [index, part] of name.split('/').entries()) {
    const problems = part === '' ? ['must not be empty'] : isDns1123Subdomain(part)
    const shown = part === '' ? name : part
    errors.checkMessages(
      problems.map((text) => `segment ${index}: ${text}`),
      shown,
      field,
    )
  }
}
