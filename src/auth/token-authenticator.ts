/** What the chain of authenticators asks of each kind of bearer token. Follows authenticator.Token of apiserver. */
import type { User } from '../meta/user.ts'

/** Whose a token is, and for which of the audiences that were asked for it is meant. */
export interface Authenticated {
  readonly user: User
  readonly audiences: readonly string[]
}

/** Why a token of a known kind is not valid. TokenReview shows the text; other requests learn no more than 401. */
export class TokenError extends Error {}

/** One kind of bearer token. */
export interface TokenAuthenticator {
  /**
   * @param audiences the token must be meant for one of these
   * @returns undefined for a token of another kind, or one that nobody has
   * @throws TokenError where it is of this kind and not valid
   */
  authenticate(token: string, audiences: readonly string[]): Authenticated | undefined | Promise<Authenticated | undefined>
}

/** What is in both lists, in the order of the first. */
export function intersection(some: readonly string[], others: readonly string[]): string[] {
  return some.filter((one) => others.includes(one))
}

/** A kind of token that names no audience: it is meant for the server itself, whatever that calls itself. */
export class WithoutAudiences implements TokenAuthenticator {
  readonly #holderOf: (token: string) => User | undefined | Promise<User | undefined>
  readonly #own: readonly string[]

  /** @param own the names under which tokens mean this server */
  constructor(own: readonly string[], holderOf: (token: string) => User | undefined | Promise<User | undefined>) {
    this.#own = own
    this.#holderOf = holderOf
  }

  async authenticate(token: string, audiences: readonly string[]): Promise<Authenticated | undefined> {
    const meant = intersection(this.#own, audiences)
    if (meant.length === 0) return undefined
    const user = await this.#holderOf(token)
    return user === undefined ? undefined : { user, audiences: meant }
  }
}
