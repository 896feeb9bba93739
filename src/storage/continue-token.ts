/**
 * Continue tokens: the position at which a list continues, opaque to clients.
 *
 * The format is kube-apiserver's: base64url of `{"v","rv","start"}`. A forged token reads nothing that its author could not list
 * anyway: `start` cannot leave the prefix of the list. Error texts are kube-apiserver's; some of them contain a Go type name.
 */

import { isRawNumber, parseJson } from '../go/json.ts'
import { checkSyntaxOfBytes, JsonSyntaxError } from '../go/json-syntax.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { badRequest } from '../meta/errors.ts'

const VERSION = 'meta.k8s.io/v1'
/** A key is shorter than 1 KiB. A longer token is not one of ours and is not decoded. */
const MAX_TOKEN_LENGTH = 16 * 1024

/** The position at which a list continues. */
export interface ContinuePosition {
  /** The version of the whole list; -1 to continue at the present version because the list's own is compacted. */
  readonly resourceVersion: number
  /** The last key that was listed, without the prefix of the list. The list continues after it. */
  readonly after: string
}

/** Encodes a position as a continue token. Follows storage.EncodeContinue. */
export function encodeContinue({ resourceVersion, after }: ContinuePosition): string {
  const token = { v: VERSION, rv: resourceVersion, start: `${after}\0` }
  return Buffer.from(JSON.stringify(token)).toString('base64url')
}

function invalidToken(why: string): Error {
  return badRequest(`invalid continue token: continue key is not valid${why}`)
}

/** Decodes base64url without padding as Go's RawURLEncoding does, which skips line breaks. */
function base64Bytes(token: string): Buffer {
  const illegal = /[^A-Za-z0-9_\-\r\n]/.exec(token)
  if (illegal !== null)
    throw invalidToken(`: illegal base64 data at input byte ${Buffer.byteLength(token.slice(0, illegal.index))}`)
  const digits = token.replace(/[\r\n]/g, '')
  if (digits.length % 4 === 1) throw invalidToken(`: illegal base64 data at input byte ${token.length - 1}`)
  return Buffer.from(digits, 'base64url')
}

/** Returns Go's message for bytes that are not valid JSON. Decoding loses bytes that are not UTF-8, which the message shows. */
function syntaxProblem(bytes: Buffer): string {
  try {
    checkSyntaxOfBytes(bytes)
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message
    throw error
  }
  return ''
}

function parsedJson(bytes: Buffer): JsonValue {
  try {
    return parseJson(bytes.toString('utf8'), 'verbatim')
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw invalidToken(`: ${syntaxProblem(bytes)}`)
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
  // For a number, Go's message omits the digits.
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

/** Whether Go's path.Clean leaves the key unchanged. If not, the key leads out of the prefix or was not written by a server. */
function isCleanKey(key: string): boolean {
  return key
    .split('/')
    .every((segment, index, { length }) => (segment !== '' || (index === 0 && length > 1)) && segment !== '.' && segment !== '..')
}

/** Returns the key just before a start: the key to which a zero byte was appended, or else a text with no key after it. */
function keyBefore(start: string): string {
  if (start.endsWith('\0')) return start.slice(0, -1)
  return `${start.slice(0, -1)}${String.fromCharCode(start.charCodeAt(start.length - 1) - 1)}\uffff`
}

/**
 * Decodes a continue token. Follows storage.DecodeContinue.
 * @throws ApiError 400 if the text is not a token
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
