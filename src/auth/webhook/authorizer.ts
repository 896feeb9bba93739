/** The webhook authorizer. Follows "Webhook Mode" and plugin/pkg/authorizer/webhook of apiserver. */

import { logError } from '../../meta/log.ts'
import type { User } from '../../meta/user.ts'
import type { Attributes, Decision } from '../attributes.ts'
import type { FetchOf } from '../ca-fetch.ts'
import { type CompiledExpression, evaluateExpression } from '../cel-program.ts'
import { WebhookClient } from './client.ts'
import type { WebhookEndpoint } from './endpoint.ts'
import { ResponseCache } from './response-cache.ts'
import { type ReviewSpec, reviewSpec, reviewValue } from './review-spec.ts'

/** The configuration of one webhook authorizer. Times are milliseconds. */
export interface WebhookAuthorizerConfiguration {
  readonly name: string
  readonly endpoint: WebhookEndpoint
  readonly timeout: number
  /** How long an answer is cached; 0 disables the cache. */
  readonly authorizedTtl: number
  readonly unauthorizedTtl: number
  /** The decision if the webhook cannot be reached. */
  readonly failurePolicy: 'Deny' | 'NoOpinion'
  /** The webhook is called only if all of these are true. */
  readonly matchConditions: readonly CompiledExpression[]
}

/** The maximum number of cached answers, and the maximum number of characters from the client in a cached review. */
const maximumRemembered = 8192
const longestRemembered = 10_000

const noOpinion: Decision = { allowed: false, reason: '' }

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export class WebhookAuthorizer {
  readonly #configuration: WebhookAuthorizerConfiguration
  readonly #client: WebhookClient
  readonly #remembered: ResponseCache<Decision>

  /** @throws Error if the CA of the webhook cannot be trusted here */
  constructor(configuration: WebhookAuthorizerConfiguration, fetchOf: FetchOf, now: () => number = Date.now) {
    this.#configuration = configuration
    this.#client = new WebhookClient(configuration.endpoint, fetchOf, configuration.timeout)
    this.#remembered = new ResponseCache(maximumRemembered, now)
  }

  /** Returns allowed, denied, or no opinion, after which the next authorizer decides. Never throws. */
  async authorize(user: User, attributes: Attributes): Promise<Decision> {
    const spec = reviewSpec(user, attributes)
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
      logError(`the authorization webhook ${this.#configuration.name}`, message(error))
      return this.#failed(`webhook ${this.#configuration.name}: ${message(error)}`)
    }
    const { authorizedTtl, unauthorizedTtl } = this.#configuration
    if (key.length < longestRemembered) this.#remembered.set(key, decision, decision.allowed ? authorizedTtl : unauthorizedTtl)
    return decision
  }

  #failed(error: string): Decision {
    return { allowed: false, denied: this.#configuration.failurePolicy === 'Deny', reason: '', error }
  }

  /** Whether all match conditions hold. A false condition decides even if another one fails. */
  #matches(spec: ReviewSpec): boolean {
    const value = reviewValue(spec)
    const failures: string[] = []
    for (const condition of this.#configuration.matchConditions) {
      try {
        if (evaluateExpression(condition, 'request', value) !== true) return false
      } catch (error) {
        failures.push(`cel evaluation error: ${message(error)}`)
      }
    }
    if (failures.length === 0) return true
    throw new Error(failures.length === 1 ? failures[0] : `[${failures.join(', ')}]`)
  }
}

/**
 * Reads the status of a SubjectAccessReview.
 * @throws Error if the answer has no valid status
 */
function decisionOf({ allowed, denied = false, reason = '' }: Readonly<Record<string, unknown>>): Decision {
  if (typeof allowed !== 'boolean' || typeof denied !== 'boolean' || typeof reason !== 'string') {
    throw new Error('it answers no status of a SubjectAccessReview')
  }
  if (!denied) return { allowed, reason }
  if (!allowed) return { allowed, denied, reason }
  return { allowed: false, denied, reason, error: 'webhook subject access review returned both allow and deny response' }
}
