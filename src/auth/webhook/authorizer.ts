/** A service that is asked whether a request may go on. Follows "Webhook Mode" and apiserver's plugin/pkg/authorizer/webhook. */
import type { User } from '../../meta/user.ts'
import type { Attributes, Decision } from '../attributes.ts'
import type { FetchOf } from '../ca-fetch.ts'
import { evaluated, type ReadyExpression } from '../cel-program.ts'
import { WebhookClient } from './client.ts'
import type { WebhookEndpoint } from './endpoint.ts'
import { ResponseCache } from './response-cache.ts'
import { type ReviewSpec, reviewSpec, reviewValue } from './review-spec.ts'

/** What the operator has decided about one. Times are milliseconds. */
export interface WebhookAuthorizerConfiguration {
  readonly name: string
  readonly endpoint: WebhookEndpoint
  readonly timeout: number
  /** How long its answers are repeated; 0 for not at all. */
  readonly authorizedTtl: number
  readonly unauthorizedTtl: number
  /** What holds where it cannot be asked. */
  readonly failurePolicy: 'Deny' | 'NoOpinion'
  /** It is asked only where all of these hold. */
  readonly matchConditions: readonly ReadyExpression[]
}

/** Answers that are remembered, and how many characters a client may put into a question of such a one. */
const maximumRemembered = 8192
const longestRemembered = 10_000

const noOpinion: Decision = { allowed: false, reason: '' }

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** One webhook. */
export class WebhookAuthorizer {
  readonly #configuration: WebhookAuthorizerConfiguration
  readonly #client: WebhookClient
  readonly #remembered: ResponseCache<Decision>

  /** @throws Error where the authority of the webhook cannot be trusted here */
  constructor(configuration: WebhookAuthorizerConfiguration, fetchOf: FetchOf, now: () => number = Date.now) {
    this.#configuration = configuration
    this.#client = new WebhookClient(configuration.endpoint, fetchOf, configuration.timeout)
    this.#remembered = new ResponseCache(maximumRemembered, now)
  }

  /** Allowed, denied, or neither: then others are asked. Never throws. */
  async authorize(user: User, asked: Attributes): Promise<Decision> {
    const spec = reviewSpec(user, asked)
    try {
      if (!this.#matches(spec)) return noOpinion
    } catch (error) {
      return this.#failed(message(error))
    }
    const key = JSON.stringify(spec)
    const remembered = this.#remembered.get(key)
    if (remembered !== undefined) return remembered
    let decision: Decision
    try {
      const review = { kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', metadata: {}, spec }
      decision = decisionOf(await this.#client.review(review))
    } catch (error) {
      console.error(`the authorization webhook ${this.#configuration.name}:`, message(error))
      return this.#failed(`webhook ${this.#configuration.name}: ${message(error)}`)
    }
    const { authorizedTtl, unauthorizedTtl } = this.#configuration
    if (key.length < longestRemembered) this.#remembered.set(key, decision, decision.allowed ? authorizedTtl : unauthorizedTtl)
    return decision
  }

  #failed(error: string): Decision {
    return { allowed: false, denied: this.#configuration.failurePolicy === 'Deny', reason: '', error }
  }

  /** A condition that is false decides, also beside one that fails. */
  #matches(spec: ReviewSpec): boolean {
    const value = reviewValue(spec)
    const failures: string[] = []
    for (const condition of this.#configuration.matchConditions) {
      try {
        if (evaluated(condition, 'request', value) !== true) return false
      } catch (error) {
        failures.push(`cel evaluation error: ${message(error)}`)
      }
    }
    if (failures.length === 0) return true
    throw new Error(failures.length === 1 ? failures[0] : `[${failures.join(', ')}]`)
  }
}

/** @throws Error for an answer that says nothing */
function decisionOf({ allowed, denied = false, reason = '' }: Readonly<Record<string, unknown>>): Decision {
  if (typeof allowed !== 'boolean' || typeof denied !== 'boolean' || typeof reason !== 'string') {
    throw new Error('it answers no status of a SubjectAccessReview')
  }
  if (!denied) return { allowed, reason }
  if (!allowed) return { allowed, denied, reason }
  return { allowed: false, denied, reason, error: 'webhook subject access review returned both allow and deny response' }
}
