/** OpenID Connect tokens of the issuers that the operator trusts. Follows plugin/pkg/authenticator/token/oidc of apiserver. */
import type { Value } from '../../cel/value.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { goQuote } from '../../go/text.ts'
import { logError } from '../../meta/log.ts'
import type { User } from '../../meta/user.ts'
import type { FetchOf } from '../ca-fetch.ts'
import { evaluateExpression } from '../cel-program.ts'
import type { JwtAuthenticator } from '../configuration.ts'
import { textClaim, textsClaim, timeClaim, unverifiedClaims } from '../jwt/claims.ts'
import { TokenError } from '../token-authenticator.ts'
import { checkRules, claimsValue, type IdentityExpression, textsOf, userValue } from './expressions.ts'
import { IssuerKeys } from './issuer-keys.ts'

/** The tolerated clock difference for `nbf`, in seconds. `exp` is taken exactly. */
const leeway = 300

const has = (claims: JsonObject, name: string): boolean => Object.hasOwn(claims, name)

function textOf(claims: JsonObject, name: string, description: string): string {
  const value = textClaim(claims, name)
  if (value === undefined)
    throw new TokenError(
      `oidc: parse ${description} ${goQuote(name)}: ${has(claims, name) ? 'not a string' : 'claim not present'}`,
    )
  return value
}

/** Runs an expression and adds its purpose to the text of an error. */
function evaluate<T>(purpose: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw new TokenError(`oidc: error evaluating ${purpose}: ${error instanceof Error ? error.message : ''}`)
  }
}

function textFrom(expression: IdentityExpression, claims: Value, mapping: string): string {
  return evaluate(`${mapping} claim expression`, () => {
    const value = evaluateExpression(expression, 'claims', claims)
    if (typeof value !== 'string') throw new Error(`${mapping} claim expression must return a string`)
    return value
  })
}

function usernameOf(claims: JsonObject, value: Value, by: JwtAuthenticator['username']): string {
  if ('program' in by) {
    const name = textFrom(by, value, 'username')
    if (name === '') throw new TokenError('oidc: empty username via CEL expression is not allowed')
    return name
  }
  const name = textOf(claims, by.claim, 'username claims')
  // A user who can choose an unverified address could choose anybody's.
  if (by.claim === 'email' && has(claims, 'email_verified') && claims.email_verified !== true) {
    throw new TokenError('oidc: email not verified')
  }
  if (name === '') throw new TokenError('oidc: the username is empty')
  return by.prefix + name
}

function groupsOf(claims: JsonObject, value: Value, by: JwtAuthenticator['groups']): string[] {
  if (by === undefined) return []
  if ('program' in by) return evaluate('group claim expression', () => textsOf(evaluateExpression(by, 'claims', value)))
  if (!has(claims, by.claim)) return []
  const groups = textsClaim(claims, by.claim)
  if (groups === undefined) throw new TokenError(`oidc: parse groups claim ${goQuote(by.claim)}: not a list of strings`)
  return groups.map((group) => by.prefix + group)
}

function uidOf(claims: JsonObject, value: Value, by: JwtAuthenticator['uid']): string {
  if (by === undefined) return ''
  return typeof by === 'string' ? textOf(claims, by, 'uid claim') : textFrom(by, value, 'uid')
}

function extraOf(claims: JsonObject, value: Value, by: JwtAuthenticator['extra']): User['extra'] {
  const id = textClaim(claims, 'jti') ?? ''
  const extra: [string, string[]][] = id === '' ? [] : [['authentication.kubernetes.io/credential-id', [`JTI=${id}`]]]
  for (const [key, expression] of by) {
    const texts = evaluate(`extra claim expression: ${expression.text}`, () =>
      textsOf(evaluateExpression(expression, 'claims', value)),
    )
    if (texts.length > 0) extra.push([key, texts])
  }
  return Object.fromEntries(extra)
}

function checkRequired(claims: JsonObject, required: JwtAuthenticator['required']): void {
  for (const [name, value] of required) {
    if (!has(claims, name)) throw new TokenError(`oidc: required claim ${name} not present in ID token`)
    const found = textOf(claims, name, 'claim')
    if (found === value) continue
    throw new TokenError(`oidc: required claim ${name} value does not match. Got = ${found}, want = ${value}`)
  }
}

/**
 * Checks audience and times.
 * @throws TokenError if the token is for another audience or not valid now
 */
function checkUse(claims: JsonObject, { audiences }: JwtAuthenticator, now: number): void {
  const refuse = (why: string): TokenError => new TokenError(`oidc: verify token: ${why}`)
  const meant = textsClaim(claims, 'aud') ?? []
  if (!meant.some((one) => audiences.includes(one))) throw refuse(`expected audience in ${goQuote(audiences.join(' '))}`)
  const [expires, begins] = [timeClaim(claims, 'exp'), timeClaim(claims, 'nbf')]
  if (expires === undefined || expires <= now) throw refuse('token is expired')
  if (begins !== undefined && begins > now + leeway) throw refuse('current time is before the nbf time')
}

/**
 * Maps the claims of an issuer's token to a user.
 * @param claims of a token whose signature has been verified
 * @param now seconds since the epoch
 * @throws TokenError
 */
export function holderOfClaims(claims: JsonObject, by: JwtAuthenticator, now: number): User {
  checkUse(claims, by, now)
  const value = claimsValue(claims)
  const user: User = {
    name: usernameOf(claims, value, by.username),
    uid: uidOf(claims, value, by.uid),
    groups: groupsOf(claims, value, by.groups),
    extra: extraOf(claims, value, by.extra),
  }
  checkRequired(claims, by.required)
  evaluate('claim validation expression', () => checkRules(by.claimRules, 'claims', value))
  evaluate('user info validation rule', () => checkRules(by.userRules, 'user', userValue(user)))
  return user
}

/**
 * Returns an authenticator for tokens of these issuers. It gives undefined for tokens of other issuers, and throws TokenError if
 * a token is not valid.
 * @throws Error if the CA of an issuer cannot be trusted here
 */
export function oidcTokens(
  authenticators: readonly JwtAuthenticator[],
  fetchOf: FetchOf,
  now: () => number = Date.now,
): (token: string) => Promise<User | undefined> {
  const byIssuer = new Map(
    authenticators.map((by) => {
      const keys = new IssuerKeys(by.issuer, by.keys, fetchOf(by.certificateAuthority), now)
      return [by.issuer, { by, keys }]
    }),
  )
  return async (token) => {
    const claims = byIssuer.size === 0 ? undefined : unverifiedClaims(token)
    const found = claims === undefined ? undefined : byIssuer.get(textClaim(claims, 'iss') ?? '')
    if (claims === undefined || found === undefined) return undefined
    const signature = await found.keys.signatureOf(token).catch((error: unknown) => {
      logError(`keys of ${found.by.issuer}`, error)
      throw new TokenError('oidc: authenticator not initialized')
    })
    if (signature !== 'valid') throw new TokenError('oidc: verify token: failed to verify signature')
    return holderOfClaims(claims, found.by, now() / 1000)
  }
}
