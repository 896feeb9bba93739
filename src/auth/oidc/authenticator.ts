/** OpenID Connect tokens of the issuers that the operator trusts. Follows apiserver's plugin/pkg/authenticator/token/oidc. */
import { goQuote } from '../../meta/go-text.ts'
import type { JsonObject } from '../../meta/json-value.ts'
import type { User } from '../../meta/user.ts'
import type { JwtAuthenticator } from '../configuration.ts'
import { textClaim, textsClaim, timeClaim, unverifiedClaims } from '../jwt/claims.ts'
import { TokenError } from '../token-authenticator.ts'
import { type Fetch, IssuerKeys } from './issuer-keys.ts'

/** How far the clocks may be apart for `nbf`, in seconds. `exp` is taken as it is. */
const leeway = 300

const has = (claims: JsonObject, name: string): boolean => Object.hasOwn(claims, name)

function textOf(claims: JsonObject, name: string, of: string): string {
  const value = textClaim(claims, name)
  if (value === undefined)
    throw new TokenError(`oidc: parse ${of} ${goQuote(name)}: ${has(claims, name) ? 'not a string' : 'claim not present'}`)
  return value
}

function usernameOf(claims: JsonObject, { claim, prefix }: JwtAuthenticator['username']): string {
  const name = textOf(claims, claim, 'username claims')
  // Whoever may choose an address without showing that it is theirs could choose anybody's.
  if (claim === 'email' && has(claims, 'email_verified') && claims.email_verified !== true) {
    throw new TokenError('oidc: email not verified')
  }
  if (name === '') throw new TokenError('oidc: the username is empty')
  return prefix + name
}

function groupsOf(claims: JsonObject, mapping: JwtAuthenticator['groups']): string[] {
  if (mapping === undefined || !has(claims, mapping.claim)) return []
  const groups = textsClaim(claims, mapping.claim)
  if (groups === undefined) throw new TokenError(`oidc: parse groups claim ${goQuote(mapping.claim)}: not a list of strings`)
  return groups.map((group) => mapping.prefix + group)
}

function checkRequired(claims: JsonObject, required: JwtAuthenticator['required']): void {
  for (const [name, value] of required) {
    if (!has(claims, name)) throw new TokenError(`oidc: required claim ${name} not present in ID token`)
    const found = textOf(claims, name, 'claim')
    if (found === value) continue
    throw new TokenError(`oidc: required claim ${name} value does not match. Got = ${found}, want = ${value}`)
  }
}

/** @throws TokenError for a token that is not meant for us, or not for now */
function checkUse(claims: JsonObject, { audiences }: JwtAuthenticator, now: number): void {
  const refuse = (why: string): TokenError => new TokenError(`oidc: verify token: ${why}`)
  const meant = textsClaim(claims, 'aud') ?? []
  if (!meant.some((one) => audiences.includes(one))) throw refuse(`expected audience in ${goQuote(audiences.join(' '))}`)
  const [expires, begins] = [timeClaim(claims, 'exp'), timeClaim(claims, 'nbf')]
  if (expires === undefined || expires <= now) throw refuse('token is expired')
  if (begins !== undefined && begins > now + leeway) throw refuse('current time is before the nbf time')
}

/**
 * Whom an issuer's token makes of its holder.
 * @param claims of a token whose signature has been verified
 * @param now seconds since the epoch
 * @throws TokenError
 */
export function holderOfClaims(claims: JsonObject, by: JwtAuthenticator, now: number): User {
  checkUse(claims, by, now)
  const name = usernameOf(claims, by.username)
  const groups = groupsOf(claims, by.groups)
  const uid = by.uid === undefined ? '' : textOf(claims, by.uid, 'uid claim')
  checkRequired(claims, by.required)
  const id = textClaim(claims, 'jti') ?? ''
  const extra: User['extra'] = id === '' ? {} : { 'authentication.kubernetes.io/credential-id': [`JTI=${id}`] }
  return { name, uid, groups, extra }
}

/** The holder of a token of one of the issuers; undefined for tokens of others. Throws TokenError for one that is not valid. */
export function oidcTokens(
  authenticators: readonly JwtAuthenticator[],
  fetch: Fetch,
  now: () => number = Date.now,
): (token: string) => Promise<User | undefined> {
  const byIssuer = new Map(authenticators.map((by) => [by.issuer, { by, keys: new IssuerKeys(by.issuer, by.keys, fetch, now) }]))
  return async (token) => {
    const claims = byIssuer.size === 0 ? undefined : unverifiedClaims(token)
    const found = claims === undefined ? undefined : byIssuer.get(textClaim(claims, 'iss') ?? '')
    if (claims === undefined || found === undefined) return undefined
    const signature = await found.keys.signatureOf(token).catch((error: unknown) => {
      console.error(`keys of ${found.by.issuer}:`, error)
      throw new TokenError('oidc: authenticator not initialized')
    })
    if (signature !== 'valid') throw new TokenError('oidc: verify token: failed to verify signature')
    return holderOfClaims(claims, found.by, now() / 1000)
  }
}
