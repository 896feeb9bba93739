/** Asking a webhook: JSON to it, JSON from it, bounded in time and length. Follows apiserver's util/webhook. */

import { boundedText } from '../bounded-text.ts'
import type { Fetch, FetchOf } from '../ca-fetch.ts'
import type { WebhookEndpoint } from './endpoint.ts'

/** How much a webhook may say. */
const maximumBytes = 1024 * 1024
/** How often it is tried, and how long is waited before the second time, in milliseconds. */
const attempts = 5
const firstPause = 100

/** Why a webhook gave no answer. */
export class WebhookError extends Error {}

/** A webhook that is asked with JSON and answers with JSON. */
export class WebhookClient {
  readonly #endpoint: WebhookEndpoint
  readonly #fetch: Fetch
  readonly #timeout: number

  /**
   * @param timeout milliseconds for all attempts together
   * @throws Error where its authority cannot be trusted here
   */
  constructor(endpoint: WebhookEndpoint, fetchOf: FetchOf, timeout: number) {
    this.#endpoint = endpoint
    this.#fetch = fetchOf(endpoint.certificateAuthority)
    this.#timeout = timeout
  }

  /**
   * Sends a review and gives its status. What may pass (no connection, 429, 500 and above) is tried again within the time.
   * @throws WebhookError
   */
  async review(body: object): Promise<Readonly<Record<string, unknown>>> {
    const signal = AbortSignal.timeout(this.#timeout)
    const end = Date.now() + this.#timeout
    for (let attempt = 1, pause = firstPause; ; attempt++, pause *= 2) {
      const found = await this.#attempt(body, signal)
      if (found.is === 'answer') return found.status
      const isLast = attempt >= attempts || Date.now() + pause >= end
      if (found.is === 'final' || isLast) throw new WebhookError(found.why)
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
      return { is: 'passing', why: error instanceof Error ? error.message : 'no connection' }
    }
    const { status: code } = response
    if (code === 429 || code >= 500) return { is: 'passing', why: `it answers ${code}` }
    if (code !== 200 && code !== 201) return { is: 'final', why: `it answers ${code}` }
    const status = statusOf(text)
    return status === undefined ? { is: 'final', why: 'it answers no review' } : { is: 'answer', status }
  }
}

type Attempt =
  | { readonly is: 'answer'; readonly status: Readonly<Record<string, unknown>> }
  | { readonly is: 'passing' | 'final'; readonly why: string }

function statusOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const { status } = JSON.parse(text) as { readonly status?: unknown }
    return typeof status === 'object' && status !== null ? (status as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}
