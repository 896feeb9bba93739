/**
 * Checks of names, labels and label keys, with their error texts. Follows k8s.io/apimachinery/pkg/util/validation and
 * pkg/api/validation. Each check returns its error texts; [] for a valid value. No check backtracks: values come from clients and
 * may be megabytes long.
 */
import { utf8Length } from '../go/text.ts'

/** A check of a value: returns the error texts, [] for a valid value. */
export type Check = (value: string) => string[]

/** A check of a name, or, if `prefix` is set, of a `generateName` to which characters will be appended. */
export type ValidateName = (name: string, prefix: boolean) => string[]

const DNS1123_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const DNS1123_SUBDOMAIN = `${DNS1123_LABEL}(\\.${DNS1123_LABEL})*`
const DNS1035_LABEL = '[a-z]([-a-z0-9]*[a-z0-9])?'
const LABEL_KEY = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const LABEL_VALUE = `(${LABEL_KEY})?`

const DNS1123_LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character"
const DNS1123_SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
const DNS1035_LABEL_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character"
const LABEL_KEY_TEXT =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
const LABEL_VALUE_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"

const MAX_LABEL_LENGTH = 63
const MAX_SUBDOMAIN_LENGTH = 253

/** Returns the error text for a value that does not match `expression`. Follows validation.RegexError. */
export function regexError(text: string, expression: string, ...examples: readonly string[]): string {
  const used = `regex used for validation is '${expression}')`
  return examples.length === 0
    ? `${text} (${used}`
    : `${text} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}${used}`
}

/**
 * Returns the error text for a value longer than `length`. Follows validation.MaxLenError; the texts for label keys and values
 * say bytes.
 */
export function maxLengthError(length: number, unit: 'characters' | 'bytes' = 'characters'): string {
  return `must be no more than ${length} ${unit}`
}

/** Returns the error text for a number out of range. */
export function inclusiveRangeError(low: number, high: number): string {
  return `must be between ${low} and ${high}, inclusive`
}

const isLabelText = (value: string): boolean => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(value)

/** Whether the value is a chain of labels. The expression of the error text would backtrack and recurse on long values. */
const isSubdomainText = (value: string): boolean => /^[-a-z0-9.]+$/.test(value) && !/^[-.]|[-.]$|\.\.|\.-|-\./.test(value)

function subdomainErrors(value: string, unit: 'characters' | 'bytes'): string[] {
  const errors: string[] = []
  if (utf8Length(value) > MAX_SUBDOMAIN_LENGTH) errors.push(maxLengthError(MAX_SUBDOMAIN_LENGTH, unit))
  if (!isSubdomainText(value)) errors.push(regexError(DNS1123_SUBDOMAIN_TEXT, DNS1123_SUBDOMAIN, 'example.com'))
  return errors
}

/** Checks a lower-case DNS subdomain of RFC 1123: the names of most kinds. */
export function isDns1123Subdomain(value: string): string[] {
  return subdomainErrors(value, 'characters')
}

/** Checks a lower-case DNS label of RFC 1123: the names of namespaces, services, containers … */
export function isDns1123Label(value: string): string[] {
  const errors: string[] = []
  if (utf8Length(value) > MAX_LABEL_LENGTH) errors.push(maxLengthError(MAX_LABEL_LENGTH))
  if (isLabelText(value)) return errors
  const text = regexError(DNS1123_LABEL_TEXT, DNS1123_LABEL, 'my-name', '123-abc')
  return [...errors, isSubdomainText(value) ? 'must not contain dots' : text]
}

/** Checks a DNS label of RFC 1035: like an RFC 1123 label, but it begins with a letter. */
export function isDns1035Label(value: string): string[] {
  const errors: string[] = []
  if (utf8Length(value) > MAX_LABEL_LENGTH) errors.push(maxLengthError(MAX_LABEL_LENGTH))
  if (isLabelText(value) && /^[a-z]/.test(value)) return errors
  return [...errors, regexError(DNS1035_LABEL_TEXT, DNS1035_LABEL, 'my-name', 'abc-123')]
}

const labelKeyError = (): string => regexError(LABEL_KEY_TEXT, LABEL_KEY, 'MyName', 'my.name', '123-abc')

/**
 * Checks a qualified name: a name with an optional DNS subdomain and `/` before it. For keys of labels and annotations,
 * finalizers and resource names.
 */
export function isQualifiedName(value: string): string[] {
  const slash = value.indexOf('/')
  const prefix = slash < 0 ? undefined : value.slice(0, slash)
  const name = value.slice(slash + 1)
  if (name.includes('/'))
    return [`a valid label key ${labelKeyError()} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]
  const errors: string[] = []
  if (prefix === '') errors.push('prefix part must be non-empty')
  else if (prefix !== undefined) errors.push(...subdomainErrors(prefix, 'bytes').map((error) => `prefix part ${error}`))
  if (name === '') errors.push('name part must be non-empty')
  else if (utf8Length(name) > MAX_LABEL_LENGTH) errors.push(`name part ${maxLengthError(MAX_LABEL_LENGTH, 'bytes')}`)
  if (!/^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name)) errors.push(`name part ${labelKeyError()}`)
  return errors
}

/** Checks a label value, which may be ''. */
export function isLabelValue(value: string): string[] {
  const errors: string[] = []
  if (utf8Length(value) > MAX_LABEL_LENGTH) errors.push(maxLengthError(MAX_LABEL_LENGTH, 'bytes'))
  if (value === '' || /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(value)) return errors
  return [...errors, regexError(LABEL_VALUE_TEXT, LABEL_VALUE, 'MyValue', 'my_value', '12345')]
}

/** Checks the beginning of a name that must fit in a path segment. */
function isPathSegmentPrefix(value: string): string[] {
  return ['/', '%'].filter((text) => value.includes(text)).map((text) => `may not contain '${text}'`)
}

/** Checks that a name fits in a path segment: the names of RBAC's kinds. Length and emptiness are not checked. */
export function isPathSegmentName(value: string): string[] {
  return value === '.' || value === '..' ? [`may not be '${value}'`] : isPathSegmentPrefix(value)
}

/**
 * Replaces the last two characters of a prefix that ends in '-' by one that may end a name, because more characters will follow.
 */
function maskTrailingDash(name: string): string {
  if (name.length < 2 || !name.endsWith('-')) return name
  const kept = name.charCodeAt(name.length - 2) < 0x80 ? -2 : -1
  return `${name.slice(0, kept)}a`
}

const withPrefixes =
  (check: Check): ValidateName =>
  (name, prefix) =>
    check(prefix ? maskTrailingDash(name) : name)

/** Names that are DNS subdomains (validation.NameIsDNSSubdomain). */
export const nameIsDnsSubdomain: ValidateName = withPrefixes(isDns1123Subdomain)

/** Names that are DNS subdomains, for kinds with declarative validation (validate.LongName). */
export const nameIsLongName: ValidateName = (name) => subdomainErrors(name, 'bytes')

/** Names that are DNS labels (validation.NameIsDNSLabel). */
export const nameIsDnsLabel: ValidateName = withPrefixes(isDns1123Label)

/** Names that are DNS labels of RFC 1035 (validation.NameIsDNS1035Label). */
export const nameIsDns1035Label: ValidateName = withPrefixes(isDns1035Label)

/** Names that fit in a path segment (path.ValidatePathSegmentName). */
export const nameIsPathSegment: ValidateName = (name, prefix) => (prefix ? isPathSegmentPrefix(name) : isPathSegmentName(name))

/** The letters of generated names: no vowels, and no digits that look like vowels. */
const GENERATED_LETTERS = 'bcdfghjklmnpqrstvwxz2456789'
const GENERATED_LENGTH = 5
const MAX_GENERATED_BASE = 58

/**
 * Generates a name: at most 58 characters of `generateName` and 5 random ones. `random` returns numbers in [0, 1). Follows
 * names.SimpleNameGenerator.
 */
export function generateName(base: string, random: () => number): string {
  let name = base.slice(0, MAX_GENERATED_BASE)
  for (let i = 0; i < GENERATED_LENGTH; i++) name += GENERATED_LETTERS.charAt(Math.floor(random() * GENERATED_LETTERS.length))
  return name
}
