/** Tokens of ServiceAccounts, bound ones and those in Secrets. Follows pkg/serviceaccount of k8s.io/kubernetes. */
import type { Objects } from '../../clusters/objects.ts'
import { readObject } from '../../clusters/read-object.ts'
import { goQuote } from '../../meta/go-text.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { type CompactToken, parseCompact, textClaim, textsClaim } from '../jwt/compact.ts'
import { isSignedBy } from '../jwt/verification.ts'
import { type Authenticated, intersection, type TokenAuthenticator, TokenError } from '../token-authenticator.ts'
import { holderOfBoundToken, type ReadBound } from './bound-token.ts'
import { legacyIssuer } from './claims.ts'
import { holderOfLegacyToken } from './legacy-token.ts'
import type { TokenKeys } from './token-keys.ts'
import { noteUse } from './last-used.ts'

/** As Go prints a list of texts with %q. */
const quoted = (list: readonly string[]): string => `[${list.map(goQuote).join(' ')}]`

/** What the authenticator is made of. */
export interface ServiceAccountTokenOptions {
  readonly objects: Objects
  readonly cluster: string
  readonly keys: TokenKeys
  /** As bound tokens name it. */
  readonly issuer: string
  /** For whom tokens are meant that name nobody. */
  readonly audiences: readonly string[]
}

export class ServiceAccountTokens implements TokenAuthenticator {
  readonly #of: ServiceAccountTokenOptions
  readonly #read: ReadBound

  constructor(of: ServiceAccountTokenOptions) {
    this.#of = of
    this.#read = (resource, namespace, name) => readObject(of.objects, of.cluster, { resource, namespace, name })
  }

  async authenticate(text: string, audiences: readonly string[]): Promise<Authenticated | undefined> {
    const token = parseCompact(text)
    if (token === undefined) return undefined
    const issuer = textClaim(token.claims, 'iss')
    if (issuer !== this.#of.issuer && issuer !== legacyIssuer) return undefined
    await this.#verify(token)
    const named = textsClaim(token.claims, 'aud') ?? []
    const own = named.length === 0 ? this.#of.audiences : named
    const meant = intersection(own, audiences)
    if (meant.length === 0) {
      throw new TokenError(`token audiences ${quoted(own)} is invalid for the target audiences ${quoted(audiences)}`)
    }
    if (issuer === this.#of.issuer) {
      return { user: await holderOfBoundToken(token.claims, this.#read, Date.now() / 1000), audiences: meant }
    }
    const { user, secret } = await holderOfLegacyToken(text, token.claims, this.#read)
    await this.#noteUse(secret)
    return { user, audiences: meant }
  }

  async #verify(token: CompactToken): Promise<void> {
    const keys = await this.#of.keys.verificationKeys(token.keyId)
    if (keys.length === 0) throw new TokenError('invalid signature, no keys found')
    if (!(await isSignedBy(token, keys))) throw new TokenError('go-jose/go-jose: error in cryptographic primitive')
  }

  /** A token is as good where its use could not be noted. */
  async #noteUse(secret: KubernetesObject): Promise<void> {
    const { objects, cluster } = this.#of
    await noteUse(objects, cluster, secret, Date.now()).catch((error: unknown) => console.error('use of a token:', error))
  }
}
