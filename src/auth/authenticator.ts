/**
 * The bearer token authenticator: tries the kinds of tokens in the order of kube-apiserver; the first that knows the token
 * decides. Follows the token union and the token cache of apiserver.
 */
import type { Asker } from '../clusters/policy.ts'
import { LruCache } from '../meta/lru-cache.ts'
import { memoryBudget } from '../meta/memory-budget.ts'
import type { User } from '../meta/user.ts'
import { type Authenticated, type TokenAuthenticator, TokenError } from './token-authenticator.ts'
import { asAuthenticated } from './user.ts'

/** The most bytes of cached tokens, and the maximum length of a token that is cached. */
const mostBytes = 2 * 1024 * 1024
const longestRemembered = 4096
/** The bytes that the user of a token takes besides its texts. */
const overheadBytes = 500

const invalidToken = 'invalid bearer token'

/** The result of a TokenReview. */
export type TokenReviewResult = Authenticated | { readonly error: string }

interface Remembered {
  readonly user: User
  /** When the check that gave this answer began, in milliseconds since the epoch. */
  readonly at: number
}

/** Returns the approximate memory of a cached token. The texts of its user are in the token, or as long. */
const sizeOf = (token: string, { user }: Remembered): number =>
  2 * token.length + user.groups.reduce((length, group) => length + group.length, 0) + overheadBytes

/** Counts the uses of the token cache. */
export interface TokenCacheObserver {
  /** A token was in the cache. */
  hit(): void
  /** A token is being authenticated, because it was not in the cache. */
  fetching(): void
  /** Its authentication has ended. */
  fetched(status: 'ok' | 'error', seconds: number): void
}

interface AuthenticatorOptions {
  /** The maximum age of a cached positive answer, in milliseconds; one second by default. Negative answers are never cached. */
  readonly maximumAge?: number
  readonly now?: () => number
  readonly observer?: TokenCacheObserver
}

/** The union of all token authenticators of a deployment. */
export class Authenticator {
  readonly #kinds: readonly TokenAuthenticator[]
  readonly #maximumAge: number
  readonly #now: () => number
  readonly #observer: TokenCacheObserver | undefined
  readonly #remembered = new LruCache<string, Remembered>(mostBytes, sizeOf, memoryBudget)
  /** The audiences of this server's own tokens. */
  readonly audiences: readonly string[]

  constructor(kinds: readonly TokenAuthenticator[], audiences: readonly string[], options: AuthenticatorOptions = {}) {
    this.#kinds = kinds
    this.audiences = audiences
    this.#maximumAge = options.maximumAge ?? 1000
    this.#now = options.now ?? Date.now
    this.#observer = options.observer
  }

  /** Returns the user of a request's bearer token, at most as old as the maximum age; undefined if the token is not valid. */
  async authenticateToken(token: string, asker?: Asker): Promise<User | undefined> {
    const at = this.#now()
    const remembered = this.#remembered.get(token)
    if (remembered !== undefined && at - remembered.at < this.#maximumAge) {
      this.#observer?.hit()
      return remembered.user
    }
    const answer = await this.#fetch(token, asker)
    if ('error' in answer) {
      this.#remembered.delete(token)
      return undefined
    }
    if (token.length <= longestRemembered) this.#remembered.set(token, { user: answer.user, at })
    return answer.user
  }

  async #fetch(token: string, asker: Asker | undefined): Promise<TokenReviewResult> {
    const began = Date.now()
    let status: 'ok' | 'error' = 'error'
    this.#observer?.fetching()
    asker?.waits?.()
    try {
      const answer = await this.review(token, this.audiences, asker)
      if (!('error' in answer)) status = 'ok'
      return answer
    } finally {
      this.#observer?.fetched(status, (Date.now() - began) / 1000)
    }
  }

  /** Returns the current user of a token that is meant for one of the audiences, or the reason why the token is not valid. */
  async review(token: string, audiences: readonly string[], asker?: Asker): Promise<TokenReviewResult> {
    const errors = new Set([invalidToken])
    for (const kind of this.#kinds) {
      try {
        const found = await kind.authenticate(token, audiences, asker)
        if (found !== undefined) return { user: asAuthenticated(found.user), audiences: found.audiences }
      } catch (error) {
        if (!(error instanceof TokenError)) throw error
        errors.add(error.message)
      }
    }
    return { error: errors.size === 1 ? invalidToken : `[${[...errors].join(', ')}]` }
  }
}
