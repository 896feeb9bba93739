/**
 * Tokens that name the user of a request to another API server, where no client certificate can prove who sends it. A token is
 * valid for one server and for a short time, and never for this one: a server that gets it cannot act as the user here.
 */
import type { WebhookService } from '../../clusters/webhooks/transport.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { LruCache } from '../../meta/lru-cache.ts'
import type { User } from '../../meta/user.ts'
import { textClaim, textsClaim, timeClaim, unverifiedClaims } from '../jwt/claims.ts'
import type { TokenKeys } from '../service-accounts/token-keys.ts'
import { type Authenticated, meantAudiences, type TokenAuthenticator, TokenError } from '../token-authenticator.ts'

/** The lifetime of a token in seconds, and how long before its end it is not sent any more. */
const lifetime = 300
const margin = 60
/** The maximum number of tokens that are kept. */
const mostKept = 1000
/** The claim with the user, in the form of a UserInfo. */
const userClaim = 'user'

const textsOf = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

/** Returns the user in the claims; undefined for a token of another kind. */
function userIn(claims: JsonObject): User | undefined {
  const user = claims[userClaim]
  if (!isObject(user)) return undefined
  const extra = isObject(user.extra) ? Object.entries(user.extra).map(([key, values]) => [key, textsOf(values)]) : []
  return {
    name: textClaim(user, 'username') ?? '',
    uid: textClaim(user, 'uid') ?? '',
    groups: textsOf(user.groups),
    extra: Object.fromEntries(extra) as User['extra'],
  }
}

/** Returns the audience of the server behind a Service. */
export const audienceOf = ({ namespace, name, port = 443 }: WebhookService): string => `https://${name}.${namespace}.svc:${port}`

/** Issues the tokens of one cluster. */
export class UserTokenIssuer {
  readonly #sign: (claims: JsonObject) => Promise<string>
  readonly #issuer: string
  readonly #made = new LruCache<string, { readonly token: string; readonly until: number }>(mostKept)

  /** @param sign signs claims with the key of ServiceAccount tokens */
  constructor(sign: (claims: JsonObject) => Promise<string>, issuer: string) {
    this.#sign = sign
    this.#issuer = issuer
  }

  /** Returns a token that names the user to the server behind a Service. */
  async tokenFor({ name, uid, groups, extra }: User, service: WebhookService): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const audience = audienceOf(service)
    const user = { username: name, uid, groups, extra }
    const key = JSON.stringify([audience, user])
    const made = this.#made.get(key)
    if (made !== undefined && made.until > now) return made.token
    const times = { exp: now + lifetime, iat: now, nbf: now }
    const claims = { aud: [audience], ...times, iss: this.#issuer, sub: name, [userClaim]: user }
    const token = await this.#sign(claims as unknown as JsonObject)
    this.#made.set(key, { token, until: now + lifetime - margin })
    return token
  }
}

/** Authenticates the tokens of one cluster, for reviews. */
export class UserTokens implements TokenAuthenticator {
  readonly #keys: Pick<TokenKeys, 'signatureOf'>
  readonly #issuer: string

  constructor(keys: Pick<TokenKeys, 'signatureOf'>, issuer: string) {
    this.#keys = keys
    this.#issuer = issuer
  }

  /** Authenticates a token that is meant for a requested audience. The server's own audience is not among them. */
  async authenticate(text: string, audiences: readonly string[]): Promise<Authenticated | undefined> {
    const claims = unverifiedClaims(text)
    if (claims === undefined || textClaim(claims, 'iss') !== this.#issuer) return undefined
    const user = userIn(claims)
    if (user === undefined) return undefined
    if ((await this.#keys.signatureOf(text)) !== 'valid') throw new TokenError('invalid signature')
    if ((timeClaim(claims, 'exp') ?? 0) < Date.now() / 1000) throw new TokenError('the token has expired')
    const meant = meantAudiences(textsClaim(claims, 'aud') ?? [], audiences).filter((audience) => audience !== this.#issuer)
    if (meant.length === 0) throw new TokenError('the token is for another audience')
    return { user, audiences: meant }
  }
}
