/** The requests of one cluster that a test can read: a ring of the last ones. */

/** A request that was answered. Times are those of the server, not of the cluster's clock. */
export interface RecordedRequest {
  /** The number of the request in its cluster, from 1. */
  readonly number: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly verb: string
  readonly group: string
  readonly version: string
  /** '' for paths that are not of resources. */
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly path: string
  /** '' if the request was not authenticated. */
  readonly user: string
  readonly userAgent: string
  readonly code: number
  /** The time until the response began. */
  readonly milliseconds: number
  /** The id of the fault that changed the response; 0 without one. */
  readonly fault: number
}

/** The maximum number of requests that are kept. */
const most = 5000

/** The ring. */
export class RecordedRequests {
  #kept: RecordedRequest[] = []
  #seen = 0
  #cleared = 0

  add(request: Omit<RecordedRequest, 'number'>): void {
    this.#kept.push({ number: ++this.#seen, ...request })
    // Half of the ring goes at once: removing one at a time would move all others.
    if (this.#kept.length > most) this.#kept = this.#kept.slice(most / 2)
  }

  /** Returns the kept requests, oldest first, and the number of those that were dropped. */
  list(): { readonly requests: readonly RecordedRequest[]; readonly dropped: number } {
    return { requests: this.#kept, dropped: this.#seen - this.#cleared - this.#kept.length }
  }

  clear(): void {
    this.#kept = []
    this.#cleared = this.#seen
  }
}
