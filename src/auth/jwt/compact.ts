/** JSON Web Signatures in their compact form, read but not believed. Follows RFC 7515 and RFC 7519. */
import type { JsonObject } from '../../meta/json-value.ts'

/** A signed token: nothing of it is true before its signature has been verified. */
export interface CompactToken {
  readonly algorithm: string
  /** '' where the header names no key. */
  readonly keyId: string
  readonly claims: JsonObject
  /** What the signature is of. */
  readonly signed: Uint8Array<ArrayBuffer>
  readonly signature: Uint8Array<ArrayBuffer>
}

/** No longer token is looked at. */
const maximumLength = 64 * 1024

const base64url = /^[A-Za-z0-9_-]*$/

function bytesOf(part: string): Uint8Array<ArrayBuffer> | undefined {
  if (!base64url.test(part) || part.length % 4 === 1) return undefined
  return new Uint8Array(Buffer.from(part, 'base64url'))
}

function objectOf(part: string): JsonObject | undefined {
  const bytes = bytesOf(part)
  if (bytes === undefined) return undefined
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

/** Reads a token; undefined for what is none. A header that demands extensions (`crit`) has an algorithm that no key has. */
export function parseCompact(token: string): CompactToken | undefined {
  if (token.length > maximumLength) return undefined
  const [head = '', body = '', tail = '', ...more] = token.split('.')
  if (head === '' || body === '' || more.length > 0) return undefined
  const header = objectOf(head)
  const claims = objectOf(body)
  const signature = bytesOf(tail)
  if (header === undefined || claims === undefined || signature === undefined) return undefined
  const { alg, kid = '' } = header
  if (typeof alg !== 'string' || typeof kid !== 'string') return undefined
  const algorithm = header.crit === undefined ? alg : ''
  return { algorithm, keyId: kid, claims, signed: new TextEncoder().encode(`${head}.${body}`), signature }
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
