/**
 * How a deployment authenticates, as its operator writes it. Follows AuthenticationConfiguration of apiserver.config.k8s.io/v1.
 * What is not done here is refused, not skipped: a rule that was left out would let somebody in.
 */

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
  /** One of them must be in the claim `aud`. */
  readonly audiences: readonly string[]
  readonly username: PrefixedClaim
  readonly groups?: PrefixedClaim
  readonly uid?: string
  /** Claims that must have these values. */
  readonly required: ReadonlyMap<string, string>
}

/** What the operator has decided. */
export interface AuthenticationConfiguration {
  readonly anonymous: Anonymous
  readonly jwt: readonly JwtAuthenticator[]
}

type Fields = Readonly<Record<string, unknown>>

const wrong = (path: string, what: string): Error => new Error(`the AuthenticationConfiguration${path && `: ${path}`} ${what}`)

/** The object at a path, which has no other fields than these. */
function objectAt(value: unknown, path: string, known: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(path, 'is no object')
  const other = Object.keys(value).find((field) => !known.includes(field))
  if (other !== undefined) throw wrong(path === '' ? other : `${path}.${other}`, 'is not supported')
  return value as Fields
}

function textAt(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '') throw wrong(path, 'is required, a text')
  return value
}

function listAt(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(path, 'is no list')
  return value
}

function httpsAt(value: unknown, path: string): string {
  const text = textAt(value, path)
  if (!URL.canParse(text)) throw wrong(path, 'is no URL')
  const { protocol, username, password, search, hash } = new URL(text)
  if (protocol !== 'https:' || username + password + search + hash !== '') {
    throw wrong(path, 'must be an https URL without user, query and fragment')
  }
  return text
}

function prefixedAt(value: unknown, path: string): PrefixedClaim {
  const { claim, prefix } = objectAt(value, path, ['claim', 'prefix'])
  // Without saying so nobody is to take over names of others: '' has to be written.
  if (typeof prefix !== 'string') throw wrong(`${path}.prefix`, 'is required, it may be ""')
  return { claim: textAt(claim, `${path}.claim`), prefix }
}

function requiredAt(value: unknown, path: string): ReadonlyMap<string, string> {
  const rules = listAt(value, path).map((rule, i): [string, string] => {
    const at = `${path}[${i}]`
    const { claim, requiredValue = '' } = objectAt(rule, at, ['claim', 'requiredValue'])
    if (typeof requiredValue !== 'string') throw wrong(`${at}.requiredValue`, 'is no text')
    return [textAt(claim, `${at}.claim`), requiredValue]
  })
  return new Map(rules)
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

function issuerAt(value: unknown, path: string): Pick<JwtAuthenticator, 'issuer' | 'keys' | 'audiences'> {
  const fields = objectAt(value, path, ['url', 'discoveryURL', 'audiences', 'audienceMatchPolicy'])
  const issuer = httpsAt(fields.url, `${path}.url`)
  const audiences = listAt(fields.audiences, `${path}.audiences`).map((one, i) => textAt(one, `${path}.audiences[${i}]`))
  if (audiences.length === 0) throw wrong(`${path}.audiences`, 'is required')
  const policy = fields.audienceMatchPolicy ?? ''
  if (policy !== '' && policy !== 'MatchAny') throw wrong(`${path}.audienceMatchPolicy`, 'must be "MatchAny"')
  const discoveryUrl = fields.discoveryURL === undefined ? undefined : httpsAt(fields.discoveryURL, `${path}.discoveryURL`)
  return { issuer, keys: keysOf(issuer, discoveryUrl), audiences }
}

function jwtAt(value: unknown, path: string): JwtAuthenticator {
  const {
    issuer,
    claimMappings,
    claimValidationRules = [],
  } = objectAt(value, path, ['issuer', 'claimMappings', 'claimValidationRules'])
  const at = `${path}.claimMappings`
  const { username, groups, uid } = objectAt(claimMappings, at, ['username', 'groups', 'uid'])
  return {
    ...issuerAt(issuer, `${path}.issuer`),
    username: prefixedAt(username, `${at}.username`),
    ...(groups !== undefined && { groups: prefixedAt(groups, `${at}.groups`) }),
    ...(uid !== undefined && { uid: textAt(objectAt(uid, `${at}.uid`, ['claim']).claim, `${at}.uid.claim`) }),
    required: requiredAt(claimValidationRules, `${path}.claimValidationRules`),
  }
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
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    throw wrong('', `is no JSON: ${error instanceof Error ? error.message : ''}`)
  }
  const { apiVersion, kind, jwt = [], anonymous } = objectAt(value, '', ['apiVersion', 'kind', 'jwt', 'anonymous'])
  const versions = ['apiserver.config.k8s.io/v1', 'apiserver.config.k8s.io/v1beta1']
  if (kind !== 'AuthenticationConfiguration' || !versions.includes(String(apiVersion))) {
    throw wrong('', `must be an AuthenticationConfiguration of ${versions.join(' or ')}`)
  }
  const authenticators = listAt(jwt, 'jwt').map((one, i) => jwtAt(one, `jwt[${i}]`))
  if (new Set(authenticators.map(({ issuer }) => issuer)).size < authenticators.length)
    throw wrong('jwt', 'names an issuer twice')
  return {
    anonymous: anonymous === undefined ? unconfigured.anonymous : anonymousAt(anonymous, 'anonymous'),
    jwt: authenticators,
  }
}
