/** The string formats that kube-apiserver validates, of k8s.io/kube-openapi/pkg/validation/strfmt. */
import { parseDuration } from '../../go/duration.ts'
import { isCidr, isIpv4, isIpv6, isMac } from './network-formats.ts'

type Check = (text: string) => boolean

const matches =
  (expression: RegExp): Check =>
  (text) =>
    expression.test(text)

const anything: Check = () => true

const hostname =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u
const longestHostname = 255

/** The pattern is applied only to names within the length limit, because it could take long otherwise. */
function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > longestHostname || text.split('.').some((part) => Buffer.byteLength(part) > 63)) return false
  return hostname.test(text)
}

const daysOf = (year: number, month: number): number => new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()

function isDate(text: string): boolean {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (found === null) return false
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])]
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month)
}

const timeOfDay = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/

function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t')
  if (time === undefined || !isDate(date)) return false
  const found = timeOfDay.exec(time)
  return found !== null && (found[1] ?? '') <= '23' && (found[2] ?? '') <= '59' && (found[3] ?? '') <= '59'
}

/** The units of durations. Words that begin with the last name of a row are accepted too. */
const units: readonly (readonly string[])[] = [
  ['ns', 'nano'],
  ['us', 'µs', 'micro'],
  ['ms', 'milli'],
  ['s', 'sec'],
  ['m', 'min'],
  ['h', 'hr', 'hour'],
  ['d', 'day'],
  ['w', 'wk', 'week'],
]

const isUnit = (unit: string): boolean => units.some((names) => names.includes(unit) || unit.startsWith(names.at(-1) ?? ''))

/** Matches nearly all durations without parsing them. */
const commonDuration = /^\d{1,9}(?:ms|s|m)$|^\d{1,6}h$/

/** Whether the text is a duration of Go, or of Scala: `3 days`. */
function isDuration(text: string): boolean {
  if (commonDuration.test(text)) return true
  try {
    parseDuration(text)
    return true
  } catch {
    const found = [...text.matchAll(/(\d+)(?:\s*([A-Za-z\u00b5]+))?/g)].filter(([, , unit]) => unit !== undefined)
    return found.some(([, , unit = '']) => isUnit(unit.toLowerCase())) && found.every(([, count = '']) => count.length < 19)
  }
}

/** Whether the text is a request URI: absolute, or an absolute path. */
function isRequestUri(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Go refuses exactly these
  if (text === '' || /[\x00-\x1f\x7f]/.test(text) || /%(?![0-9a-fA-F]{2})/.test(text)) return false
  if (text === '*' || text.startsWith('/')) return true
  const found = /^[a-zA-Z][a-zA-Z0-9+.-]*:(.*)$/s.exec(text)
  if (found === null) return false
  const authority = /^\/\/([^/?#]*)/.exec(found[1] ?? '')?.[1]
  return authority === undefined || isAuthority(authority)
}

const isAuthority = (authority: string): boolean => {
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  return /^(\[[^\]]*\]|[^[\]: <>"^`{|}\\]*)(:\d*)?$/.test(host)
}

/** Whether the text is a mail address, with or without a display name. */
function isEmail(text: string): boolean {
  const bracketed = /^(?:[^<>@,;:\\[\]()]*|"(?:[^"\\]|\\.)*"\s*)<([^<>]+)>$/.exec(text.trim())
  const address = bracketed?.[1] ?? text.trim()
  const at = address.lastIndexOf('@')
  if (at < 1) return false
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)]
  const atom = /^[\p{L}\p{N}!#$%&'*+\-/=?^_`{|}~]+(\.[\p{L}\p{N}!#$%&'*+\-/=?^_`{|}~]+)*$/u
  const isLocal = atom.test(local) || /^"(?:[^"\\]|\\.)*"$/.test(local)
  return isLocal && (atom.test(domain) || /^\[[^[\]\\]*\]$/.test(domain))
}

const digitsAt = (text: string, i: number): number => text.charCodeAt(i) - 0x30

function isIsbn10(text: string): boolean {
  const isbn = text.replace(/[\s-]+/g, '')
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(isbn)) return false
  let sum = isbn[9] === 'X' ? 100 : 10 * digitsAt(isbn, 9)
  for (let i = 0; i < 9; i++) sum += (i + 1) * digitsAt(isbn, i)
  return sum % 11 === 0
}

function isIsbn13(text: string): boolean {
  const isbn = text.replace(/[\s-]+/g, '')
  if (!/^(?:[0-9]{13})$/.test(isbn)) return false
  let sum = 0
  for (let i = 0; i < 12; i++) sum += (i % 2 === 0 ? 1 : 3) * digitsAt(isbn, i)
  return digitsAt(isbn, 12) === (10 - (sum % 10)) % 10
}

const creditCard =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '')
  if (!creditCard.test(digits)) return false
  let sum = 0
  for (let i = digits.length - 1, doubled = false; i >= 0; i--, doubled = !doubled) {
    const digit = digitsAt(digits, i) * (doubled ? 2 : 1)
    sum += digit >= 10 ? digit - 9 : digit
  }
  return sum % 10 === 0
}

const rgb =
  /^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$/

const anyUuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?([0-9a-f])[0-9a-f]{3}-?([0-9a-f])[0-9a-f]{3}-?[0-9a-f]{12}$/i
const hexDigits = '0123456789abcdefABCDEF'

/** Checks a UUID whose version and variant are among these digits. */
const uuid =
  (versions: string, variants = hexDigits): Check =>
  (text) => {
    const [, version, variant] = anyUuid.exec(text) ?? []
    return version !== undefined && variant !== undefined && versions.includes(version) && variants.includes(variant)
  }

/** The checks by format name without hyphens. */
const formats: Readonly<Record<string, Check>> = {
  bsonobjectid: matches(/^[0-9a-fA-F]{24}$/),
  uri: isRequestUri,
  email: isEmail,
  hostname: isHostname,
  ipv4: isIpv4,
  ipv6: isIpv6,
  cidr: isCidr,
  mac: isMac,
  uuid: uuid(hexDigits),
  uuid3: uuid('3'),
  uuid4: uuid('4', '89abAB'),
  uuid5: uuid('5', '89abAB'),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: matches(rgb),
  byte: matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  password: anything,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: (text) => text.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text),
  k8slongname: (text) => text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text),
}

const numeric: Readonly<Record<string, readonly string[]>> = { integer: ['int32', 'int64'], number: ['float', 'double'] }

/** Whether a format is known for a type. */
export function isKnownFormat(type: string, format: string): boolean {
  if (type === '' || type === 'string') return Object.hasOwn(formats, format.replaceAll('-', ''))
  return numeric[type]?.includes(format) ?? false
}

/**
 * Returns the name of a format for messages, and its check; '' and undefined if the format is not known for the types, or does
 * not apply to strings.
 */
export function formatOf(types: readonly string[], format: string): { readonly name: string; readonly check: Check | undefined } {
  const type = types.length === 1 ? (types[0] ?? '') : ''
  if (format === '' || !isKnownFormat(type, format)) return { name: '', check: undefined }
  return { name: format, check: type === '' || type === 'string' ? formats[format.replaceAll('-', '')] : undefined }
}

/** Returns a format and its check, whatever the types are. */
export function anyFormat(format: string): { readonly name: string; readonly check: Check | undefined } {
  const name = format.replaceAll('-', '')
  return { name: format, check: Object.hasOwn(formats, name) ? formats[name] : undefined }
}
