/** What a JSON Web Token says, read but not believed. Follows RFC 7519. */
import { decodeJwt } from 'jose'
import type { JsonObject } from '../../go/json-value.ts'

/** No longer token is looked at. */
const maximumLength = 64 * 1024

/** The claims of a token; undefined for what is none. Nothing of it is true before its signature has been verified. */
export function unverifiedClaims(token: string): JsonObject | undefined {
  if (token.length > maximumLength || token.split('.', 4).length !== 3) return undefined
  try {
    return decodeJwt<JsonObject>(token)
  } catch {
    return undefined
  }
}

/** The claim as a text; undefined where it is none. */
export function textClaim(claims: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/** The claim as a list of texts, of which a single text is one; undefined where it is neither. */
export function textsClaim(claims: JsonObject, name: string): string[] | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined
  if (typeof value === 'string') return [value]
  if (!Array.isArray(value)) return undefined
  const texts = value.filter((one) => typeof one === 'string')
  return texts.length === value.length ? texts : undefined
}

/** The claim as seconds since the epoch; undefined where it is no number. */
export function timeClaim(claims: JsonObject, name: string): number | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
