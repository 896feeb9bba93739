/**
 * The bearer token authenticator: tries the kinds of tokens in the order of kube-apiserver; the first that knows the token
 * decides. Follows the token union and the token cache of apiserver.
 */
import { LruCache } from '../meta/lru-cache.ts'
import type { User } from '../meta/user.ts'
import { type Authenticated, type TokenAuthenticator, TokenError } from './token-authenticator.ts'
import { asAuthenticated } from './user.ts'

/** The maximum age of a cached positive answer, in milliseconds. Negative answers are never cached. */
const maximumAge = 1000
/** The maximum number of cached tokens, and the maximum length of a token that is cached. */
const maximumRemembered = 1000
const longestRemembered = 4096

const invalidToken = 'invalid bearer token'

/** The result of a TokenReview. */
export type TokenReviewResult = Authenticated | { readonly error: string }

interface Remembered {
  readonly user: User
  /** When the check that gave this answer began, in milliseconds since the epoch. */
  readonly at: number
}

/** The union of all token authenticators of a deployment. */
export class Authenticator {
  readonly #kinds: readonly TokenAuthenticator[]
  readonly #now: () => number
  readonly #remembered = new LruCache<string, Remembered>(maximumRemembered)
  /** The audiences of this server's own tokens. */
  readonly audiences: readonly string[]

  constructor(kinds: readonly TokenAuthenticator[], audiences: readonly string[], now: () => number = Date.now) {
    this.#kinds = kinds
    this.audiences = audiences
    this.#now = now
  }

  /** Returns the user of a request's bearer token, at most one second old; undefined if the token is not valid. */
  async authenticateToken(token: string): Promise<User | undefined> {
    const at = this.#now()
    const remembered = this.#remembered.get(token)
    if (remembered !== undefined && at - remembered.at < maximumAge) return remembered.user
    const answer = await this.review(token, this.audiences)
    if ('error' in answer) {
      this.#remembered.delete(token)
      return undefined
    }
    if (token.length <= longestRemembered) this.#remembered.set(token, { user: answer.user, at })
    return answer.user
  }

  /** Returns the current user of a token that is meant for one of the audiences, or the reason why the token is not valid. */
  async review(token: string, audiences: readonly string[]): Promise<TokenReviewResult> {
    const errors = new Set([invalidToken])
    for (const kind of this.#kinds) {
      try {
        const found = await kind.authenticate(token, audiences)
        if (found !== undefined) return { user: asAuthenticated(found.user), audiences: found.audiences }
      } catch (error) {
        if (!(error instanceof TokenError)) throw error
        errors.add(error.message)
      }
    }
    return { error: errors.size === 1 ? invalidToken : `[${[...errors].join(', ')}]` }
  }
}
