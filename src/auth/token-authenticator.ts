/** The interface between the authenticator chain and each kind of bearer token. Follows authenticator.Token of apiserver. */
import type { Asker } from '../clusters/policy.ts'
import type { User } from '../meta/user.ts'

/** The user of a token, and those of the requested audiences that the token is meant for. */
export interface Authenticated {
  readonly user: User
  readonly audiences: readonly string[]
}

/** Reports why a token of a known kind is not valid. TokenReview shows the text; other requests only get a 401. */
export class TokenError extends Error {}

/**
 * An authenticator for one kind of bearer token.
 *
 * @example
 * ```ts
 * const fixed: TokenAuthenticator = {
 *   authenticate: (token, audiences) => (token === 'sesame' ? { user: admin, audiences } : undefined),
 * }
 * const user = await new Authenticator([fixed], ['https://kubernetes.default.svc']).holderOf('sesame')
 * ```
 */
export interface TokenAuthenticator {
  /**
   * Authenticates a token.
   * @param audiences the token must be meant for one of these
   * @param asker the request that has the token
   * @returns undefined for a token of another kind, or an unknown one
   * @throws TokenError if the token is of this kind and not valid
   */
  authenticate(
    token: string,
    audiences: readonly string[],
    asker?: Asker,
  ): Authenticated | undefined | Promise<Authenticated | undefined>
}

/** Returns those of the requested audiences that a token is meant for, in the order of the request. */
export function meantAudiences(ofToken: readonly string[], requested: readonly string[]): string[] {
  return requested.filter((audience) => ofToken.includes(audience))
}

/** Returns the user of a token; undefined for an unknown one. */
type HolderOf = (token: string, asker?: Asker) => User | undefined | Promise<User | undefined>

/** Adapts an authenticator whose tokens name no audience: they are meant for the server itself. */
export class WithoutAudiences implements TokenAuthenticator {
  readonly #holderOf: HolderOf
  readonly #own: readonly string[]

  /** @param own the server's own audiences */
  constructor(own: readonly string[], holderOf: HolderOf) {
    this.#own = own
    this.#holderOf = holderOf
  }

  async authenticate(token: string, audiences: readonly string[], asker?: Asker): Promise<Authenticated | undefined> {
    const meant = meantAudiences(this.#own, audiences)
    if (meant.length === 0) return undefined
    const user = await this.#holderOf(token, asker)
    return user === undefined ? undefined : { user, audiences: meant }
  }
}
