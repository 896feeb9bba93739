/** Reads the claims of JSON Web Tokens without verification. Follows RFC 7519. */
import { decodeJwt } from 'jose'
import type { JsonObject } from '../../go/json-value.ts'

/** The maximum length of a token. */
const maximumLength = 64 * 1024

/** Parses the claims of a token; undefined if it is not a JWT. Do not trust them before the signature has been verified. */
export function unverifiedClaims(token: string): JsonObject | undefined {
  if (token.length > maximumLength || token.split('.', 4).length !== 3) return undefined
  try {
    return decodeJwt<JsonObject>(token)
  } catch {
    return undefined
  }
}

/** Returns a string claim; undefined if it is absent or not a string. */
export function textClaim(claims: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/** Returns a claim as a list of strings, a single string as a list of one; undefined if it is neither. */
export function textsClaim(claims: JsonObject, name: string): string[] | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined
  if (typeof value === 'string') return [value]
  if (!Array.isArray(value)) return undefined
  const texts = value.filter((one) => typeof one === 'string')
  return texts.length === value.length ? texts : undefined
}

/** Returns a time claim, in seconds since the epoch; undefined if it is not a number. */
export function timeClaim(claims: JsonObject, name: string): number | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
