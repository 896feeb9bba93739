/** A JSON webhook client with limits for time and length. Follows util/webhook of apiserver. */

import { boundedText } from '../../net/bounded-text.ts'
import type { Fetch, FetchOf } from '../ca-fetch.ts'
import type { WebhookEndpoint } from './endpoint.ts'

/** The maximum length of a response. */
const maximumBytes = 1024 * 1024
/** The maximum number of attempts, and the pause before the second one in milliseconds; it doubles each time. */
const attempts = 5
const firstPause = 100

/** Reports why a webhook gave no answer. */
export class WebhookError extends Error {}

export class WebhookClient {
  readonly #endpoint: WebhookEndpoint
  readonly #fetch: Fetch
  readonly #timeout: number

  /**
   * @param timeout milliseconds for all attempts together
   * @throws Error if its CA cannot be trusted here
   */
  constructor(endpoint: WebhookEndpoint, fetchOf: FetchOf, timeout: number) {
    this.#endpoint = endpoint
    this.#fetch = fetchOf(endpoint.certificateAuthority)
    this.#timeout = timeout
  }

  /**
   * Sends a review and returns its status. Temporary failures (no connection, 429, 500 and above) are retried within the timeout.
   * @throws WebhookError
   */
  async review(body: object): Promise<Readonly<Record<string, unknown>>> {
    const signal = AbortSignal.timeout(this.#timeout)
    const end = Date.now() + this.#timeout
    for (let attempt = 1, pause = firstPause; ; attempt++, pause *= 2) {
      const found = await this.#attempt(body, signal)
      if (found.outcome === 'answer') return found.status
      const isLast = attempt >= attempts || Date.now() + pause >= end
      if (found.outcome === 'final' || isLast) throw new WebhookError(found.why)
      await new Promise((done) => setTimeout(done, pause))
    }
  }

  async #attempt(body: object, signal: AbortSignal): Promise<Attempt> {
    const { url, authorization } = this.#endpoint
    const headers = { 'content-type': 'application/json', accept: 'application/json', ...(authorization && { authorization }) }
    let response: Response
    let text: string
    try {
      response = await this.#fetch(url, { method: 'POST', headers, body: JSON.stringify(body), redirect: 'manual', signal })
      text = await boundedText(response, maximumBytes)
    } catch (error) {
      return { outcome: 'temporary', why: error instanceof Error ? error.message : 'no connection' }
    }
    const { status: code } = response
    if (code === 429 || code >= 500) return { outcome: 'temporary', why: `it answers ${code}` }
    if (code !== 200 && code !== 201) return { outcome: 'final', why: `it answers ${code}` }
    const status = statusOf(text)
    return status === undefined ? { outcome: 'final', why: 'it answers no review' } : { outcome: 'answer', status }
  }
}

type Attempt =
  | { readonly outcome: 'answer'; readonly status: Readonly<Record<string, unknown>> }
  | { readonly outcome: 'temporary' | 'final'; readonly why: string }

function statusOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const { status } = JSON.parse(text) as { readonly status?: unknown }
    return typeof status === 'object' && status !== null ? (status as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}
