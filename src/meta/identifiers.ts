/**
 * Checks of values other than object names. Follows k8s.io/apimachinery/pkg/util/validation. Each check returns its error texts;
 * [] for a valid value.
 */
import { utf8Length } from '../go/text.ts'
import { isDns1123Subdomain, maxLengthError, regexError } from './names.ts'

const SUBDOMAIN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'
const MAX_KEY_LENGTH = 253

function directoryErrors(value: string): string[] {
  if (value === '.' || value === '..') return [`must not be '${value}'`]
  return value.startsWith('..') ? ["must not start with '..'"] : []
}

/** Nearly all keys: a ConfigMap may have more than a hundred thousand. */
const plainConfigMapKey = /^[-_a-zA-Z0-9][-._a-zA-Z0-9]{0,252}$/

/** Checks a key of a ConfigMap or a Secret. */
export function isConfigMapKey(value: string): string[] {
  if (plainConfigMapKey.test(value)) return []
  const errors: string[] = []
  if (utf8Length(value) > MAX_KEY_LENGTH) errors.push(maxLengthError(MAX_KEY_LENGTH))
  if (!/^[-._a-zA-Z0-9]+$/.test(value)) {
    const text = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
    errors.push(regexError(text, '[-._a-zA-Z0-9]+', 'key.name', 'KEY_NAME', 'key-name'))
  }
  return [...errors, ...directoryErrors(value)]
}

/**
 * Checks the name of an environment variable by the rules before Kubernetes 1.30, which some fields, for example `envFrom`
 * prefixes, still have.
 */
export function isEnvVarName(value: string): string[] {
  const errors: string[] = []
  if (!/^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(value)) {
    const text =
      "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit"
    errors.push(regexError(text, '[-._a-zA-Z][-._a-zA-Z0-9]*', 'my.env-name', 'MY_ENV.NAME', 'MyEnvName1'))
  }
  return [...errors, ...directoryErrors(value)]
}

/** Checks the name of an environment variable: printable ASCII without '='. */
export function isRelaxedEnvVarName(value: string): string[] {
  if (value === '') return ['environment variable name must be non-empty']
  if (/^[ -<>-~]+$/.test(value)) return []
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"]
}

/** Checks a C identifier. */
export function isCIdentifier(value: string): string[] {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(value)) return []
  const text =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'"
  return [regexError(text, '[A-Za-z_][A-Za-z0-9_]*', 'my_name', 'MY_NAME', 'MyName')]
}

/** Checks the name of a port: a service name of RFC 6335 in lower case. */
export function isPortName(value: string): string[] {
  const errors: string[] = []
  if (utf8Length(value) > 15) errors.push(maxLengthError(15))
  if (!/^[-a-z0-9]+$/.test(value)) errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  if (!/[a-z]/.test(value)) errors.push('must contain at least one letter (a-z)')
  if (value.includes('--')) errors.push('must not contain consecutive hyphens')
  if (value.startsWith('-') || value.endsWith('-')) errors.push('must not begin or end with a hyphen')
  return errors
}

/** Checks a percentage such as `25%`. */
export function isPercent(value: string): string[] {
  if (/^[0-9]+%$/.test(value)) return []
  return [regexError("a valid percent string must be a numeric string followed by an ending '%'", '[0-9]+%', '1%', '93%')]
}

/** Checks the name of an HTTP header. */
export function isHttpHeaderName(value: string): string[] {
  if (/^[-A-Za-z0-9]+$/.test(value)) return []
  return [regexError("a valid HTTP header must consist of alphanumeric characters or '-'", '[-A-Za-z0-9]+', 'X-Header-Name')]
}

/** Checks a DNS subdomain whose first label is `*`. */
export function isWildcardDns1123Subdomain(value: string): string[] {
  const errors: string[] = []
  if (utf8Length(value) > MAX_KEY_LENGTH) errors.push(maxLengthError(MAX_KEY_LENGTH))
  const subdomain = value.slice(2)
  if (value.startsWith('*.') && isDns1123Subdomain(subdomain).every((error) => error === maxLengthError(MAX_KEY_LENGTH)))
    return errors
  const text =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character"
  return [...errors, regexError(text, `\\*\\.${SUBDOMAIN}`, '*.example.com')]
}

/** Checks a DNS subdomain whose labels may contain underscores, except at the end. */
export function isDns1123SubdomainWithUnderscore(value: string): string[] {
  const errors: string[] = []
  if (utf8Length(value) > MAX_KEY_LENGTH) errors.push(maxLengthError(MAX_KEY_LENGTH))
  if (value.split('.').every((label) => /^_?[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/.test(label))) return errors
  const text =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character"
  const label = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
  return [...errors, regexError(text, `${label}(\\.${label})*`, 'example.com')]
}
