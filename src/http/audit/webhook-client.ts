/** Sends audit events to a webhook, with back-off. Follows the webhook plugin of k8s.io/apiserver/plugin/pkg/audit. */
import type { Fetch, FetchOf } from '../../auth/ca-fetch.ts'
import type { AuditWebhookConfiguration } from '../../auth/webhook/audit-webhook.ts'

/** The number of attempts, the factor by which the pauses between them grow, and the random part that is added to them. */
const attempts = 5
const factor = 1.5
const jitter = 0.2

/** The timeout of one attempt in milliseconds. */
const timeout = 30_000

/** Returns an EventList of events that are JSON texts. */
const eventList = (events: readonly string[]): string =>
  `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${events.join(',')}]}`

/** The client of one webhook. */
export class AuditWebhookClient {
  readonly #configuration: AuditWebhookConfiguration
  readonly #fetch: Fetch

  /** @throws Error if the CA of the webhook cannot be trusted here */
  constructor(configuration: AuditWebhookConfiguration, fetchOf: FetchOf) {
    this.#configuration = configuration
    this.#fetch = fetchOf(configuration.endpoint.certificateAuthority)
  }

  /**
   * Sends events, each a JSON text.
   * @throws Error if the last attempt fails too
   */
  async send(events: readonly string[]): Promise<void> {
    const body = eventList(events)
    let pause = this.#configuration.initialBackoff
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#post(body)
      } catch (error) {
        if (attempt >= attempts) throw error
      }
      const wait = pause * (1 + Math.random() * jitter)
      await new Promise((done) => setTimeout(done, wait))
      pause *= factor
    }
  }

  async #post(body: string): Promise<void> {
    const { url, authorization } = this.#configuration.endpoint
    const headers = { 'content-type': 'application/json', accept: 'application/json', ...(authorization && { authorization }) }
    const signal = AbortSignal.timeout(timeout)
    const response = await this.#fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`the audit webhook answers ${response.status}`)
  }
}
