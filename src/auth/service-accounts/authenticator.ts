/**
 * Authenticates ServiceAccount tokens, both bound tokens and those in Secrets. Follows pkg/serviceaccount of k8s.io/kubernetes.
 */
import type { CollectionClient } from '../../clusters/collection-client.ts'
import type { Asker, PolicyCache } from '../../clusters/policy.ts'
import { type CoreObject, findObject } from '../../clusters/read-object.ts'
import { goQuote } from '../../go/text.ts'
import { logError } from '../../meta/log.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { textClaim, textsClaim, unverifiedClaims } from '../jwt/claims.ts'
import { type Authenticated, meantAudiences, type TokenAuthenticator, TokenError } from '../token-authenticator.ts'
import { holderOfBoundToken, type ReadBound } from './bound-token.ts'
import { legacyIssuer } from './claims.ts'
import { noteUse } from './last-used.ts'
import { holderOfLegacyToken } from './legacy-token.ts'
import type { TokenKeys } from './token-keys.ts'

/** Prints a list of strings as Go's %q does. */
const quoted = (list: readonly string[]): string => `[${list.map(goQuote).join(' ')}]`

/** The dependencies of the authenticator. */
export interface ServiceAccountTokenOptions {
  readonly objects: CollectionClient
  readonly policy: PolicyCache
  readonly keys: TokenKeys
  /** The issuer in bound tokens. */
  readonly issuer: string
  /** The audiences of tokens that name no audience. */
  readonly audiences: readonly string[]
  /** The clock of the cluster: milliseconds since the epoch. */
  readonly now: () => number
}

export class ServiceAccountTokens implements TokenAuthenticator {
  readonly #options: ServiceAccountTokenOptions
  readonly #readFor: (asker: Asker | undefined) => ReadBound

  constructor(options: ServiceAccountTokenOptions) {
    this.#options = options
    const find = (resource: CoreObject['resource'], namespace: string, name: string) =>
      findObject(options.objects, { resource, namespace, name })
    // If the control object does not answer, outdated rules may still be used: the account is in another object.
    this.#readFor = (asker) => (resource, namespace, name, uid) =>
      resource === 'serviceaccounts'
        ? options.policy.account({ namespace, name, uid }, asker).catch(() => find(resource, namespace, name))
        : find(resource, namespace, name)
  }

  async authenticate(text: string, audiences: readonly string[], asker?: Asker): Promise<Authenticated | undefined> {
    const claims = unverifiedClaims(text)
    if (claims === undefined) return undefined
    const issuer = textClaim(claims, 'iss')
    if (issuer !== this.#options.issuer && issuer !== legacyIssuer) return undefined
    await this.#verify(text)
    const named = textsClaim(claims, 'aud') ?? []
    const own = named.length === 0 ? this.#options.audiences : named
    const meant = meantAudiences(own, audiences)
    if (meant.length === 0) {
      throw new TokenError(`token audiences ${quoted(own)} is invalid for the target audiences ${quoted(audiences)}`)
    }
    const read = this.#readFor(asker)
    if (issuer === this.#options.issuer) {
      return { user: await holderOfBoundToken(claims, read, this.#options.now() / 1000), audiences: meant }
    }
    const { user, secret } = await holderOfLegacyToken(text, claims, read)
    await this.#noteUse(secret)
    return { user, audiences: meant }
  }

  async #verify(text: string): Promise<void> {
    const signature = await this.#options.keys.signatureOf(text)
    if (signature === 'of an unknown key') throw new TokenError('invalid signature, no keys found')
    if (signature === 'invalid') throw new TokenError('go-jose/go-jose: error in cryptographic primitive')
  }

  /** Notes the use of a legacy token. A failure is logged, because it does not make the token invalid. */
  async #noteUse(secret: KubernetesObject): Promise<void> {
    await noteUse(this.#options.objects, secret, this.#options.now()).catch((error: unknown) => logError('use of a token', error))
  }
}
