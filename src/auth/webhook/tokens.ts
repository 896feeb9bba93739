/** The webhook token authenticator. Follows "Webhook Token Authentication". */
import { createHash } from 'node:crypto'
import { logError } from '../../meta/log.ts'
import type { User } from '../../meta/user.ts'
import type { FetchOf } from '../ca-fetch.ts'
import { type Authenticated, type TokenAuthenticator, TokenError } from '../token-authenticator.ts'
import { WebhookClient } from './client.ts'
import { readEndpoint, type WebhookEndpoint } from './endpoint.ts'
import { ResponseCache } from './response-cache.ts'

export interface WebhookTokensConfiguration {
  readonly endpoint: WebhookEndpoint
  /** How long an answer is cached, in milliseconds. */
  readonly ttl: number
}

/**
 * Reads the settings of the webhook.
 * @param kubeconfig '' if the deployment has no such webhook
 * @param ttl milliseconds
 * @throws Error that names the setting
 */
export function readWebhookTokens(kubeconfig: string, ttl: number): WebhookTokensConfiguration | undefined {
  if (kubeconfig === '') return undefined
  return { endpoint: readEndpoint(kubeconfig, 'AUTHENTICATION_TOKEN_WEBHOOK'), ttl }
}

/** The timeout of a review in milliseconds, and the maximum number of cached answers. */
const timeout = 10_000
const maximumRemembered = 8192
/** The maximum length of a token that is sent. */
const longestToken = 64 * 1024

type Answer = Authenticated | { readonly refusal: string }

/** Authenticates tokens by a webhook. */
export class WebhookTokens implements TokenAuthenticator {
  readonly #client: WebhookClient
  readonly #ttl: number
  readonly #own: readonly string[]
  readonly #remembered: ResponseCache<Answer>

  /**
   * @param own the server's own audiences
   * @throws Error if the CA of the webhook cannot be trusted here
   */
  constructor(
    { endpoint, ttl }: WebhookTokensConfiguration,
    own: readonly string[],
    fetchOf: FetchOf,
    now: () => number = Date.now,
  ) {
    this.#client = new WebhookClient(endpoint, fetchOf, timeout)
    this.#ttl = ttl
    this.#own = own
    this.#remembered = new ResponseCache(maximumRemembered, now)
  }

  async authenticate(token: string, audiences: readonly string[]): Promise<Authenticated | undefined> {
    if (token.length > longestToken) return undefined
    // Only the token's hash is kept, which cannot be used as a token.
    const key = createHash('sha256')
      .update(JSON.stringify([token, audiences]))
      .digest('base64')
    let answer = this.#remembered.get(key)
    if (answer === undefined) {
      answer = await this.#ask(token, audiences)
      this.#remembered.set(key, answer, this.#ttl)
    }
    if ('user' in answer) return answer.audiences.length === 0 ? undefined : answer
    if (answer.refusal === '') return undefined
    throw new TokenError(answer.refusal)
  }

  async #ask(token: string, audiences: readonly string[]): Promise<Answer> {
    const spec = { token, audiences }
    let status: Readonly<Record<string, unknown>>
    try {
      status = await this.#client.review({ kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', metadata: {}, spec })
    } catch (error) {
      const why = error instanceof Error ? error.message : ''
      logError('the webhook for tokens', why)
      throw new TokenError(why)
    }
    const { authenticated = false, error = '', user, audiences: meant } = status
    if (authenticated !== true) return { refusal: typeof error === 'string' ? error : '' }
    const holder = userOf(user)
    if (holder === undefined) throw new TokenError('webhook: no user')
    const meantFor = isTexts(meant) && meant.length > 0 ? meant : this.#own
    return { user: holder, audiences: meantFor.filter((audience) => audiences.includes(audience)) }
  }
}

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string')

/** Reads a user from JSON; undefined if it is not a user or has no name. */
function userOf(value: unknown): User | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { username, uid = '', groups = [], extra = {} } = value as Readonly<Record<string, unknown>>
  if (typeof username !== 'string' || username === '' || typeof uid !== 'string') return undefined
  if (!isTexts(groups) || typeof extra !== 'object' || extra === null) return undefined
  const entries = Object.entries(extra).filter((entry): entry is [string, string[]] => isTexts(entry[1]))
  return { name: username, uid, groups, extra: Object.fromEntries(entries) }
}
