/**
 * How a deployment authenticates, as its operator writes it. Follows AuthenticationConfiguration of apiserver.config.k8s.io/v1.
 * What is not done here is refused, not skipped: a rule that was left out would let somebody in.
 */

import { isDns1123Subdomain } from '../meta/names.ts'
import { pemAt } from './ca-fetch.ts'
import { httpsAt, listAt, objectAt, readConfiguration, textAt, wrong } from './configuration-fields.ts'
import { type IdentityExpression, type IdentityRule, identityExpression, type Subject } from './oidc/expressions.ts'

/** Who may make a request without credentials. */
export type Anonymous =
  | { readonly allowed: 'everywhere' | 'nowhere' }
  | { readonly allowed: 'at paths'; readonly paths: ReadonlySet<string> }

/** A claim, and what is put before its value. */
interface PrefixedClaim {
  readonly claim: string
  readonly prefix: string
}

/** One issuer of OpenID Connect tokens, and what its tokens make of their holders. */
export interface JwtAuthenticator {
  /** As the claim `iss` has it. */
  readonly issuer: string
  /** Where its keys are: at the place that a discovery document names, or at a place that is known. */
  readonly keys: { readonly at: 'discovery' | 'key set'; readonly url: string }
  /** The authority of its servers, PEM; undefined where it is one that everybody trusts. */
  readonly certificateAuthority?: string
  /** One of them must be in the claim `aud`. */
  readonly audiences: readonly string[]
  readonly username: PrefixedClaim | IdentityExpression
  readonly groups?: PrefixedClaim | IdentityExpression
  readonly uid?: string | IdentityExpression
  /** What else is known of the holder. */
  readonly extra: ReadonlyMap<string, IdentityExpression>
  /** Claims that must have these values. */
  readonly required: ReadonlyMap<string, string>
  /** What must hold of the claims, and of the user that they make. */
  readonly claimRules: readonly IdentityRule[]
  readonly userRules: readonly IdentityRule[]
}

/** What the operator has decided. */
export interface AuthenticationConfiguration {
  readonly anonymous: Anonymous
  readonly jwt: readonly JwtAuthenticator[]
}

function expressionAt(value: unknown, path: string, subject: Subject, results: readonly string[]): IdentityExpression {
  const text = textAt(value, path)
  try {
    return identityExpression(text, subject, results)
  } catch (error) {
    throw wrong(path, `is no expression that is of use: ${error instanceof Error ? error.message : ''}`)
  }
}

const texts = ['string', 'list', 'dyn']

function mappingAt(value: unknown, path: string, results: readonly string[]): PrefixedClaim | IdentityExpression {
  const { claim, prefix, expression } = objectAt(value, path, ['claim', 'prefix', 'expression'])
  if (expression !== undefined) {
    if (claim !== undefined || prefix !== undefined) throw wrong(path, 'has a claim or an expression, not both')
    return expressionAt(expression, `${path}.expression`, 'claims', results)
  }
  // Without saying so nobody is to take over names of others: '' has to be written.
  if (typeof prefix !== 'string') throw wrong(`${path}.prefix`, 'is required, it may be ""')
  return { claim: textAt(claim, `${path}.claim`), prefix }
}

function uidAt(value: unknown, path: string): string | IdentityExpression {
  const { claim, expression } = objectAt(value, path, ['claim', 'expression'])
  if (expression === undefined) return textAt(claim, `${path}.claim`)
  if (claim !== undefined) throw wrong(path, 'has a claim or an expression, not both')
  return expressionAt(expression, `${path}.expression`, 'claims', ['string', 'dyn'])
}

/** Keys are paths below a domain, in lower case: nobody's are taken for those of Kubernetes. */
function extraAt(value: unknown, path: string): ReadonlyMap<string, IdentityExpression> {
  const found = new Map<string, IdentityExpression>()
  for (const [i, one] of listAt(value, path).entries()) {
    const at = `${path}[${i}]`
    const { key, valueExpression } = objectAt(one, at, ['key', 'valueExpression'])
    const name = textAt(key, `${at}.key`)
    const domain = name.split('/', 1)[0] ?? ''
    if (!name.includes('/') || name !== name.toLowerCase() || isDns1123Subdomain(domain).length > 0) {
      throw wrong(`${at}.key`, 'must be a domain-prefixed path in lower case (such as "acme.io/foo")')
    }
    if (/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(domain)) throw wrong(`${at}.key`, 'must not be of k8s.io or kubernetes.io')
    if (found.has(name)) throw wrong(`${at}.key`, 'stands twice')
    found.set(name, expressionAt(valueExpression, `${at}.valueExpression`, 'claims', texts))
  }
  return found
}

function ruleAt(fields: Readonly<Record<string, unknown>>, path: string, subject: Subject): IdentityRule {
  const { expression, message = '' } = fields
  if (typeof message !== 'string') throw wrong(`${path}.message`, 'is no text')
  return { expression: expressionAt(expression, `${path}.expression`, subject, ['bool']), message }
}

function claimRulesAt(value: unknown, path: string): Pick<JwtAuthenticator, 'required' | 'claimRules'> {
  const required = new Map<string, string>()
  const claimRules: IdentityRule[] = []
  for (const [i, rule] of listAt(value, path).entries()) {
    const at = `${path}[${i}]`
    const fields = objectAt(rule, at, ['claim', 'requiredValue', 'expression', 'message'])
    const { claim, requiredValue = '', expression } = fields
    if (expression !== undefined) {
      if (claim !== undefined) throw wrong(at, 'has a claim or an expression, not both')
      claimRules.push(ruleAt(fields, at, 'claims'))
    } else {
      if (typeof requiredValue !== 'string') throw wrong(`${at}.requiredValue`, 'is no text')
      required.set(textAt(claim, `${at}.claim`), requiredValue)
    }
  }
  return { required, claimRules }
}

/** Whoever may choose an address without showing that it is theirs could choose anybody's. */
function checkEmail({ username, extra, claimRules }: JwtAuthenticator, path: string): void {
  if (!('program' in username) || !username.checked.reads('claims', 'email')) return
  const others = [username, ...extra.values(), ...claimRules.map(({ expression }) => expression)]
  if (others.some(({ checked }) => checked.reads('claims', 'email_verified'))) return
  throw wrong(
    `${path}.username.expression`,
    'uses claims.email: claims.email_verified must be used in it, in extra[*].valueExpression or in claimValidationRules[*].expression',
  )
}

/** Cloudflare Access signs tokens, and has no discovery document. */
const accessHost = /^https:\/\/[a-z0-9-]+\.cloudflareaccess\.com\/?$/

/** Whether an issuer is a team of Cloudflare Access. */
export const isAccess = ({ issuer }: JwtAuthenticator): boolean => accessHost.test(issuer)

function keysOf(issuer: string, discoveryUrl: string | undefined): JwtAuthenticator['keys'] {
  if (discoveryUrl !== undefined) return { at: 'discovery', url: discoveryUrl }
  const base = issuer.replace(/\/$/, '')
  if (accessHost.test(issuer)) return { at: 'key set', url: `${base}/cdn-cgi/access/certs` }
  return { at: 'discovery', url: `${base}/.well-known/openid-configuration` }
}

function issuerAt(
  value: unknown,
  path: string,
): Pick<JwtAuthenticator, 'issuer' | 'keys' | 'certificateAuthority' | 'audiences'> {
  const known = ['url', 'discoveryURL', 'certificateAuthority', 'audiences', 'audienceMatchPolicy']
  const fields = objectAt(value, path, known)
  const issuer = httpsAt(fields.url, `${path}.url`)
  const audiences = listAt(fields.audiences, `${path}.audiences`).map((one, i) => textAt(one, `${path}.audiences[${i}]`))
  if (audiences.length === 0) throw wrong(`${path}.audiences`, 'is required')
  const policy = fields.audienceMatchPolicy ?? ''
  if (policy !== '' && policy !== 'MatchAny') throw wrong(`${path}.audienceMatchPolicy`, 'must be "MatchAny"')
  const discoveryUrl = fields.discoveryURL === undefined ? undefined : httpsAt(fields.discoveryURL, `${path}.discoveryURL`)
  const { certificateAuthority = '' } = fields
  const authority =
    certificateAuthority === '' ? {} : { certificateAuthority: pemAt(certificateAuthority, `${path}.certificateAuthority`) }
  return { issuer, keys: keysOf(issuer, discoveryUrl), ...authority, audiences }
}

function jwtAt(value: unknown, path: string): JwtAuthenticator {
  const {
    issuer,
    claimMappings,
    claimValidationRules = [],
    userValidationRules = [],
  } = objectAt(value, path, ['issuer', 'claimMappings', 'claimValidationRules', 'userValidationRules'])
  const at = `${path}.claimMappings`
  const { username, groups, uid, extra = [] } = objectAt(claimMappings, at, ['username', 'groups', 'uid', 'extra'])
  const rulesAt = `${path}.userValidationRules`
  const authenticator: JwtAuthenticator = {
    ...issuerAt(issuer, `${path}.issuer`),
    username: mappingAt(username, `${at}.username`, ['string', 'dyn']),
    ...(groups !== undefined && { groups: mappingAt(groups, `${at}.groups`, texts) }),
    ...(uid !== undefined && { uid: uidAt(uid, `${at}.uid`) }),
    extra: extraAt(extra, `${at}.extra`),
    ...claimRulesAt(claimValidationRules, `${path}.claimValidationRules`),
    userRules: listAt(userValidationRules, rulesAt).map((rule, i) =>
      ruleAt(objectAt(rule, `${rulesAt}[${i}]`, ['expression', 'message']), `${rulesAt}[${i}]`, 'user'),
    ),
  }
  checkEmail(authenticator, at)
  return authenticator
}

function anonymousAt(value: unknown, path: string): Anonymous {
  const { enabled, conditions = [] } = objectAt(value, path, ['enabled', 'conditions'])
  if (typeof enabled !== 'boolean') throw wrong(`${path}.enabled`, 'must be true or false')
  const paths = listAt(conditions, `${path}.conditions`).map((condition, i) => {
    const at = `${path}.conditions[${i}]`
    return textAt(objectAt(condition, at, ['path']).path, `${at}.path`)
  })
  if (!enabled && paths.length > 0) throw wrong(`${path}.conditions`, 'must be empty where anonymous requests are not allowed')
  if (!enabled) return { allowed: 'nowhere' }
  return paths.length === 0 ? { allowed: 'everywhere' } : { allowed: 'at paths', paths: new Set(paths) }
}

/** What kube-apiserver does where nothing is said. */
const unconfigured: AuthenticationConfiguration = { anonymous: { allowed: 'everywhere' }, jwt: [] }

/**
 * Reads the configuration.
 * @param json '' where the deployment has none
 * @throws Error that names the field which is wrong or not supported
 */
export function readAuthenticationConfiguration(json: string): AuthenticationConfiguration {
  if (json === '') return unconfigured
  return readConfiguration(json, 'AuthenticationConfiguration', ['v1', 'v1beta1'], (value) => {
    const { jwt = [], anonymous } = objectAt(value, '', ['jwt', 'anonymous'])
    const authenticators = listAt(jwt, 'jwt').map((one, i) => jwtAt(one, `jwt[${i}]`))
    if (new Set(authenticators.map(({ issuer }) => issuer)).size < authenticators.length)
      throw wrong('jwt', 'names an issuer twice')
    return {
      anonymous: anonymous === undefined ? unconfigured.anonymous : anonymousAt(anonymous, 'anonymous'),
      jwt: authenticators,
    }
  })
}
