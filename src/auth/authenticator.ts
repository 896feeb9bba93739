/**
 * Who holds a bearer token: the kinds of tokens are tried in the order of kube-apiserver, and the first that knows it decides.
 * Follows the token union and the token cache of apiserver.
 */
import { LruCache } from '../meta/lru-cache.ts'
import type { User } from '../meta/user.ts'
import { type Authenticated, type TokenAuthenticator, TokenError } from './token-authenticator.ts'
import { asAuthenticated } from './user.ts'

/** How old, in milliseconds, a positive answer may be. A negative one is never remembered. */
const maximumAge = 1000
/** Tokens that are remembered, and how long one may be for that. */
const maximumRemembered = 1000
const longestRemembered = 4096

const invalidToken = 'invalid bearer token'

/** What a TokenReview tells of a token. */
export type TokenAnswer = Authenticated | { readonly error: string }

interface Remembered {
  readonly user: User
  /** When the check began that the answer is of. */
  readonly at: number
}

/** All kinds of tokens that a deployment takes. */
export class Authenticator {
  readonly #kinds: readonly TokenAuthenticator[]
  readonly #now: () => number
  readonly #remembered = new LruCache<string, Remembered>(maximumRemembered)
  /** For whom tokens are meant that are sent to this server. */
  readonly audiences: readonly string[]

  constructor(kinds: readonly TokenAuthenticator[], audiences: readonly string[], now: () => number = Date.now) {
    this.#kinds = kinds
    this.audiences = audiences
    this.#now = now
  }

  /** The holder of a token that came with a request, as they were at most a second ago; undefined for one that is not valid. */
  async holderOf(token: string): Promise<User | undefined> {
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

  /** The holder of a token that is meant for one of the audiences, as they are now, or why there is none. */
  async review(token: string, audiences: readonly string[]): Promise<TokenAnswer> {
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
