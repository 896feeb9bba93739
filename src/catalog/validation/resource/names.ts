/** Checks of names and other strings of resource.k8s.io. Follows k8s.io/kubernetes/pkg/apis/resource/validation. */
import type { JsonValue } from '../../../go/json-value.ts'
import { goQuote, utf8Length } from '../../../go/text.ts'
import { asJson } from '../../../meta/field-error.ts'
import { isCIdentifier } from '../../../meta/identifiers.ts'
import type { Errors } from '../checks.ts'
import { checkDriver } from '../pod/volumes.ts'

const longestPool = 253
const longestIdentifier = 32
const uuidLength = 36

/** Checks the name of a pool: DNS subdomains separated by slashes. */
export function checkPoolName(name: string, field: string, errors: Errors): void {
  if (name === '') {
    errors.required(field)
    return
  }
  if (utf8Length(name) > longestPool) errors.tooLong(field, longestPool)
  for (const part of name.split('/')) errors.checkDnsSubdomain(part, field)
}

function checkIdentifier(id: string, field: string, errors: Errors): void {
  if (utf8Length(id) > longestIdentifier) errors.tooLong(field, longestIdentifier)
  errors.checkMessages(isCIdentifier(id), id, field)
}

/** Checks the name of an attribute or capacity: a C identifier with an optional domain. More than one slash is accepted. */
export function checkAttributeName(name: string, field: string, errors: Errors): void {
  const [first = '', second, ...rest] = name.split('/')
  if (rest.length > 0) return
  if (second === undefined) {
    checkIdentifier(first, field, errors)
    return
  }
  if (first === '') errors.invalid(field, '', 'the domain must not be empty')
  else checkDriver(first, field, errors)
  if (second === '') errors.invalid(field, '', 'the name must not be empty')
  else checkIdentifier(second, field, errors)
}

/** Checks the fully qualified name of an attribute or capacity, which must have a domain. */
export function checkFullAttributeName(name: string, field: string, errors: Errors): void {
  checkAttributeName(name, field, errors)
  if (name.includes('/')) return
  errors.invalid(field, asJson(name), 'a fully qualified name must be a domain and a name separated by a slash')
}

/** Checks a JSON object of at most `longest` bytes. An update may keep a longer value. */
export function checkJsonObject(value: JsonValue | undefined, longest: number, field: string, errors: Errors): void {
  if (value === undefined || value === null) errors.required(field)
  else if (utf8Length(JSON.stringify(value)) > longest) errors.tooLong(field, longest)
  else if (typeof value !== 'object' || Array.isArray(value)) {
    errors.invalid(field, '<value omitted>', 'must be a valid JSON object')
  }
}

function uuidError(uid: string): string | undefined {
  const format = 'invalid UUID format'
  const text = uid.length === uuidLength + 9 ? uid.slice(9) : uid.length === uuidLength + 2 ? uid.slice(1, -1) : uid
  if (uid.length === uuidLength + 9 && uid.slice(0, 9).toLowerCase() !== 'urn:uuid:') {
    return `invalid urn prefix: ${goQuote(uid.slice(0, 9))}`
  }
  if (uid.length === uuidLength + 2 && !/^\{.*\}$/.test(uid)) return 'invalid bracketed UUID format'
  if (uid.length === 32) return /^[0-9a-f]{32}$/i.test(uid) ? undefined : format
  if (text.length !== uuidLength) return `invalid UUID length: ${utf8Length(uid)}`
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text) ? undefined : format
}

/** Checks a UUID in lower case. */
export function checkUuid(uid: string, field: string, errors: Errors): void {
  const wrong = uuidError(uid)
  if (wrong !== undefined) errors.invalid(field, uid, `error validating uid: ${wrong}`)
  else if (uid.length !== uuidLength || uid !== uid.toLowerCase()) {
    const text =
      'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters'
    errors.invalid(field, uid, text)
  }
}
