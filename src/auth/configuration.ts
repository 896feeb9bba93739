/**
 * The operator's authentication settings. Follows AuthenticationConfiguration of apiserver.config.k8s.io/v1. Unsupported fields
 * are refused, not skipped: a skipped rule would let somebody in.
 */

import { configurationError, readConfiguration } from '../config/document.ts'
import { isDns1123Subdomain } from '../meta/names.ts'
import { pemAt } from './ca-fetch.ts'
import { httpsAt } from './configuration-fields.ts'
import { type IdentityExpression, type IdentityRule, identityExpression, type Subject } from './oidc/expressions.ts'

/** The paths at which a request without credentials is allowed. */
export type Anonymous =
  | { readonly allowed: 'everywhere' | 'nowhere' }
  | { readonly allowed: 'at paths'; readonly paths: ReadonlySet<string> }

/** A claim and the prefix of its value. */
interface PrefixedClaim {
  readonly claim: string
  readonly prefix: string
}

/** One OpenID Connect issuer, and the mapping from its claims to a user. */
export interface JwtAuthenticator {
  /** Equals the claim `iss`. */
  readonly issuer: string
  /** The URL of the discovery document, or of the key set if it is known. */
  readonly keys: { readonly at: 'discovery' | 'key set'; readonly url: string }
  /** The CA of the issuer's servers, PEM; undefined for the public trust store. */
  readonly certificateAuthority?: string
  /** The claim `aud` must contain one of them. */
  readonly audiences: readonly string[]
  readonly username: PrefixedClaim | IdentityExpression
  readonly groups?: PrefixedClaim | IdentityExpression
  readonly uid?: string | IdentityExpression
  /** The expressions for the user's extra attributes, by key. */
  readonly extra: ReadonlyMap<string, IdentityExpression>
  /** Claims that must have these values. */
  readonly required: ReadonlyMap<string, string>
  /** The rules that the claims must satisfy, and those for the mapped user. */
  readonly claimRules: readonly IdentityRule[]
  readonly userRules: readonly IdentityRule[]
}

/** The parsed configuration. */
export interface AuthenticationConfiguration {
  readonly anonymous: Anonymous
  readonly jwt: readonly JwtAuthenticator[]
}

/** The document, as described by src/config/schemas/authentication.json. */
interface RawConfiguration {
  readonly jwt?: readonly RawJwt[]
  readonly anonymous?: RawAnonymous
}

interface RawAnonymous {
  readonly enabled: boolean
  readonly conditions?: readonly { readonly path: string }[]
}

interface RawMapping {
  readonly claim?: string
  readonly prefix?: string
  readonly expression?: string
}

interface RawRule extends RawMapping {
  readonly requiredValue?: string
  readonly message?: string
}

interface RawIssuer {
  readonly url: string
  readonly discoveryURL?: string
  readonly certificateAuthority?: string
  readonly audiences: readonly string[]
}

interface RawJwt {
  readonly issuer: RawIssuer
  readonly claimMappings: {
    readonly username: RawMapping
    readonly groups?: RawMapping
    readonly uid?: RawMapping
    readonly extra?: readonly { readonly key: string; readonly valueExpression: string }[]
  }
  readonly claimValidationRules?: readonly RawRule[]
  readonly userValidationRules?: readonly { readonly expression: string; readonly message?: string }[]
}

function expressionAt(text: string, path: string, subject: Subject, results: readonly string[]): IdentityExpression {
  try {
    return identityExpression(text, subject, results)
  } catch (error) {
    throw configurationError(path, `is not an expression that can be used: ${error instanceof Error ? error.message : ''}`)
  }
}

const texts = ['string', 'list', 'dyn']

/**
 * Returns the claim of a mapping.
 * @throws ConfigurationError if the mapping has an expression too, or has no claim
 */
function claimOf({ claim, expression }: RawMapping, path: string): string {
  if (expression !== undefined) throw configurationError(path, 'has a claim or an expression, not both')
  if (claim === undefined) throw configurationError(`${path}.claim`, 'is required')
  return claim
}

function mappingAt(mapping: RawMapping, path: string, results: readonly string[]): PrefixedClaim | IdentityExpression {
  const { claim, prefix, expression } = mapping
  if (expression !== undefined && claim === undefined && prefix === undefined) {
    return expressionAt(expression, `${path}.expression`, 'claims', results)
  }
  // An omitted prefix is an error, because tokens could then take over other users' names: '' must be written explicitly.
  if (expression === undefined && prefix === undefined) throw configurationError(`${path}.prefix`, 'is required, it may be ""')
  return { claim: claimOf(mapping, path), prefix: prefix ?? '' }
}

function uidAt(mapping: RawMapping, path: string): string | IdentityExpression {
  const { claim, expression } = mapping
  if (expression === undefined || claim !== undefined) return claimOf(mapping, path)
  return expressionAt(expression, `${path}.expression`, 'claims', ['string', 'dyn'])
}

/** Reads the extra mappings. Keys are paths below a domain, in lower case, and the domains of Kubernetes are reserved. */
function extraAt(extra: NonNullable<RawJwt['claimMappings']['extra']>, path: string): ReadonlyMap<string, IdentityExpression> {
  const found = new Map<string, IdentityExpression>()
  for (const [i, { key, valueExpression }] of extra.entries()) {
    const at = `${path}[${i}]`
    const domain = key.split('/', 1)[0] ?? ''
    if (!key.includes('/') || key !== key.toLowerCase() || isDns1123Subdomain(domain).length > 0) {
      throw configurationError(`${at}.key`, 'must be a domain-prefixed path in lower case (such as "acme.io/foo")')
    }
    if (/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(domain))
      throw configurationError(`${at}.key`, 'must not be of k8s.io or kubernetes.io')
    if (found.has(key)) throw configurationError(`${at}.key`, 'stands twice')
    found.set(key, expressionAt(valueExpression, `${at}.valueExpression`, 'claims', texts))
  }
  return found
}

function claimRulesAt(rules: readonly RawRule[], path: string): Pick<JwtAuthenticator, 'required' | 'claimRules'> {
  const required = new Map<string, string>()
  const claimRules: IdentityRule[] = []
  for (const [i, rule] of rules.entries()) {
    const at = `${path}[${i}]`
    const { claim, requiredValue = '', expression, message = '' } = rule
    if (expression === undefined || claim !== undefined) required.set(claimOf(rule, at), requiredValue)
    else claimRules.push({ expression: expressionAt(expression, `${at}.expression`, 'claims', ['bool']), message })
  }
  return { required, claimRules }
}

/** Requires email_verified if claims.email is used: a user who can choose an unverified address could choose anybody's. */
function checkEmail({ username, extra, claimRules }: JwtAuthenticator, path: string): void {
  if (!('program' in username) || !username.checked.reads('claims', 'email')) return
  const others = [username, ...extra.values(), ...claimRules.map(({ expression }) => expression)]
  if (others.some(({ checked }) => checked.reads('claims', 'email_verified'))) return
  throw configurationError(
    `${path}.username.expression`,
    'uses claims.email: claims.email_verified must be used in it, in extra[*].valueExpression or in claimValidationRules[*].expression',
  )
}

/** The issuer URL of Cloudflare Access, which signs tokens but serves no discovery document. */
const accessHost = /^https:\/\/[a-z0-9-]+\.cloudflareaccess\.com\/?$/

export const isAccess = ({ issuer }: JwtAuthenticator): boolean => accessHost.test(issuer)

function keysOf(issuer: string, discoveryUrl: string | undefined): JwtAuthenticator['keys'] {
  if (discoveryUrl !== undefined) return { at: 'discovery', url: discoveryUrl }
  const base = issuer.replace(/\/$/, '')
  if (accessHost.test(issuer)) return { at: 'key set', url: `${base}/cdn-cgi/access/certs` }
  return { at: 'discovery', url: `${base}/.well-known/openid-configuration` }
}

function issuerAt(
  { url, discoveryURL, certificateAuthority = '', audiences }: RawIssuer,
  path: string,
): Pick<JwtAuthenticator, 'issuer' | 'keys' | 'certificateAuthority' | 'audiences'> {
  const issuer = httpsAt(url, `${path}.url`)
  const discoveryUrl = discoveryURL === undefined ? undefined : httpsAt(discoveryURL, `${path}.discoveryURL`)
  const authority =
    certificateAuthority === '' ? {} : { certificateAuthority: pemAt(certificateAuthority, `${path}.certificateAuthority`) }
  return { issuer, keys: keysOf(issuer, discoveryUrl), ...authority, audiences }
}

function jwtAt(
  { issuer, claimMappings, claimValidationRules = [], userValidationRules = [] }: RawJwt,
  path: string,
): JwtAuthenticator {
  const at = `${path}.claimMappings`
  const { username, groups, uid, extra = [] } = claimMappings
  const authenticator: JwtAuthenticator = {
    ...issuerAt(issuer, `${path}.issuer`),
    username: mappingAt(username, `${at}.username`, ['string', 'dyn']),
    ...(groups !== undefined && { groups: mappingAt(groups, `${at}.groups`, texts) }),
    ...(uid !== undefined && { uid: uidAt(uid, `${at}.uid`) }),
    extra: extraAt(extra, `${at}.extra`),
    ...claimRulesAt(claimValidationRules, `${path}.claimValidationRules`),
    userRules: userValidationRules.map(({ expression, message = '' }, i) => ({
      expression: expressionAt(expression, `${path}.userValidationRules[${i}].expression`, 'user', ['bool']),
      message,
    })),
  }
  checkEmail(authenticator, at)
  return authenticator
}

function anonymousAt({ enabled, conditions = [] }: RawAnonymous): Anonymous {
  const paths = conditions.map(({ path }) => path)
  if (!enabled && paths.length > 0) {
    throw configurationError('anonymous.conditions', 'must be empty if anonymous requests are not allowed')
  }
  if (!enabled) return { allowed: 'nowhere' }
  return paths.length === 0 ? { allowed: 'everywhere' } : { allowed: 'at paths', paths: new Set(paths) }
}

/** The defaults of kube-apiserver without a configuration. */
const unconfigured: AuthenticationConfiguration = { anonymous: { allowed: 'everywhere' }, jwt: [] }

/**
 * Reads the configuration.
 * @param json '' if the deployment has no configuration
 * @throws Error that names the field which is wrong or not supported
 */
export function readAuthenticationConfiguration(json: string): AuthenticationConfiguration {
  if (json === '') return unconfigured
  return readConfiguration<RawConfiguration, AuthenticationConfiguration>(
    json,
    'AuthenticationConfiguration',
    'authentication',
    ({ jwt = [], anonymous }) => {
      const authenticators = jwt.map((one, i) => jwtAt(one, `jwt[${i}]`))
      if (new Set(authenticators.map(({ issuer }) => issuer)).size < authenticators.length)
        throw configurationError('jwt', 'names an issuer twice')
      return { anonymous: anonymous === undefined ? unconfigured.anonymous : anonymousAt(anonymous), jwt: authenticators }
    },
  )
}
