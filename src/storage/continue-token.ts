/**
 * Continue tokens: where a list goes on, opaque to clients.
 *
 * The form is the one of kube-apiserver, base64url of `{"v","rv","start"}`. Whoever writes one of their own reads nothing
 * that they could not list anyway: `start` cannot lead out of the prefix of the list. The texts of the errors are
 * kube-apiserver's, whose Go type shows in some of them.
 */

import { isRawNumber, parseJson } from '../go/json.ts'
import { JsonSyntaxError } from '../go/json-syntax.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { goQuote } from '../go/text.ts'
import { badRequest } from '../meta/errors.ts'

const VERSION = 'meta.k8s.io/v1'
/** A key has less than 1 KiB; a longer token is none of ours, and is not looked at. */
const MAX_TOKEN_LENGTH = 16 * 1024

/** Where a list goes on. */
export interface ContinuePosition {
  /** The version of the whole list; -1 for the present, where its own is no longer kept. */
  readonly resourceVersion: number
  /** The last key that was listed, without the prefix of the list. The list goes on behind it. */
  readonly after: string
}

/** The token for a position. */
export function encodeContinue({ resourceVersion, after }: ContinuePosition): string {
  const token = { v: VERSION, rv: resourceVersion, start: `${after}\0` }
  return Buffer.from(JSON.stringify(token)).toString('base64url')
}

function invalidToken(why: string): Error {
  return badRequest(`invalid continue token: continue key is not valid${why}`)
}

/** The bytes of base64url without padding, as Go's RawURLEncoding reads them: it skips line breaks. */
function base64Bytes(token: string): Buffer {
  const illegal = /[^A-Za-z0-9_\-\r\n]/.exec(token)
  if (illegal !== null)
    throw invalidToken(`: illegal base64 data at input byte ${Buffer.byteLength(token.slice(0, illegal.index))}`)
  const digits = token.replace(/[\r\n]/g, '')
  if (digits.length % 4 === 1) throw invalidToken(`: illegal base64 data at input byte ${token.length - 1}`)
  return Buffer.from(digits, 'base64url')
}

function parsedJson(bytes: Buffer): JsonValue {
  const first = bytes[0]
  // Bytes that are not UTF-8 get lost in decoding, but the message shows the first byte.
  if (first !== undefined && first >= 0x80) {
    throw invalidToken(`: invalid character '${goQuote(String.fromCharCode(first)).slice(1, -1)}' looking for beginning of value`)
  }
  try {
    return parseJson(bytes.toString('utf8'), 'verbatim')
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw invalidToken(`: ${error.message}`)
    throw error
  }
}

const goKind = (value: JsonValue): string => {
  if (Array.isArray(value)) return 'array'
  if (isRawNumber(value)) return `number ${value.rawJSON}`
  if (typeof value === 'number') return `number ${value}`
  return typeof value === 'boolean' ? 'bool' : typeof value
}

function tokenObject(value: JsonValue): JsonObject {
  if (value === null) return {}
  if (typeof value === 'object' && !Array.isArray(value) && !isRawNumber(value)) return value
  // Of a number alone, Go's message does not show the digits.
  const kind = goKind(value).split(' ')[0]
  throw invalidToken(`: json: cannot unmarshal ${kind} into Go value of type storage.continueToken`)
}

function fieldError(field: string, value: JsonValue, type: string): Error {
  const kind = type === 'string' ? goKind(value).split(' ')[0] : goKind(value)
  return invalidToken(`: json: cannot unmarshal ${kind} into Go struct field continueToken.${field} of type ${type}`)
}

function stringField(token: JsonObject, field: string): string {
  const value = Object.hasOwn(token, field) ? (token[field] ?? '') : ''
  if (typeof value !== 'string') throw fieldError(field, value, 'string')
  return value
}

function integerField(token: JsonObject, field: string): number {
  const value = Object.hasOwn(token, field) ? (token[field] ?? 0) : 0
  if (typeof value !== 'number' || !Number.isInteger(value)) throw fieldError(field, value, 'int64')
  return value
}

/** What `path.Clean` of Go would change leads out of the prefix, or is not how a key is written. */
function isCleanKey(key: string): boolean {
  return key
    .split('/')
    .every((segment, index, { length }) => (segment !== '' || (index === 0 && length > 1)) && segment !== '.' && segment !== '..')
}

/** What comes just before a start: the key that a zero was added to, else a text that no key lies behind. */
function keyBefore(start: string): string {
  if (start.endsWith('\0')) return start.slice(0, -1)
  return `${start.slice(0, -1)}${String.fromCharCode(start.charCodeAt(start.length - 1) - 1)}\uffff`
}

/**
 * The position that a token names.
 * @throws ApiError 400 for what is no token
 */
export function decodeContinue(text: string): ContinuePosition {
  if (text.length > MAX_TOKEN_LENGTH) throw invalidToken('')
  const token = tokenObject(parsedJson(base64Bytes(text)))
  const version = stringField(token, 'v')
  const resourceVersion = integerField(token, 'rv')
  const start = stringField(token, 'start')
  if (version !== VERSION) throw invalidToken(`: server does not recognize this encoded version ${version}`)
  if (resourceVersion === 0) throw invalidToken(`: incorrect encoded start resourceVersion (version ${VERSION})`)
  if (start === '') throw invalidToken(`: encoded start key empty (version ${VERSION})`)
  if (!isCleanKey(start)) throw invalidToken(`: ${start}`)
  return { resourceVersion, after: keyBefore(start.startsWith('/') ? start.slice(1) : start) }
}
