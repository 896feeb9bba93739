/**
 * Counts the requests for versions that a later release removes, by user agent. An isolate sends its counts to the control object
 * with the first such request, and then at most once a minute: isolates come and go, and a check must not forget what they saw.
 * Without such requests nothing is sent.
 */

import type { Kind } from '../../catalog/kind.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { controlProtocol } from '../../clusters/control-protocol.ts'
import { type DeprecatedRequests, deprecatedRequestsKey, sumOfRequests } from '../../clusters/deprecated-requests.ts'
import { send } from '../../clusters/message.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import { logError } from '../../meta/log.ts'
import type { ResourceRequest } from '../request-info.ts'

/** The pause between reports in milliseconds. */
const pause = 60_000
/** The most clients, versions and verbs between two reports. */
const mostCounts = 500
/** The most characters of a user agent. */
const longestAgent = 200

/** The counts of one isolate for one cluster. */
export class RequestCounts {
  readonly #client: CollectionClient
  #counts = new Map<string, DeprecatedRequests>()
  #sentAt = Number.NEGATIVE_INFINITY

  constructor(client: CollectionClient) {
    this.#client = client
  }

  /**
   * Counts a request for a deprecated kind, if a release removes it.
   * @param now milliseconds since the epoch
   * @returns the report to wait for in the background; undefined if none is due
   */
  add({ lifecycle }: Kind, info: ResourceRequest, userAgent: string, now: number): Promise<void> | undefined {
    if (lifecycle?.removed === undefined) return undefined
    const { verb, group, version, resource, subresource } = info
    const requests: DeprecatedRequests = {
      userAgent: userAgent.slice(0, longestAgent),
      ...{ verb, group, version, resource, subresource },
      count: 1,
      lastTime: rfc3339Seconds(now),
    }
    const key = deprecatedRequestsKey(requests)
    const known = this.#counts.get(key)
    if (known !== undefined || this.#counts.size < mostCounts) this.#counts.set(key, sumOfRequests(known, requests))
    if (now - this.#sentAt < pause) return undefined
    this.#sentAt = now
    return this.send().catch((error: unknown) => logError('requests for deprecated versions were not recorded', error))
  }

  /** Sends the counts to the control object; with the next report again, if it does not take them. */
  async send(): Promise<void> {
    const counts = this.#counts
    if (counts.size === 0) return
    this.#counts = new Map()
    try {
      await send(this.#client.control(), controlProtocol.addDeprecatedRequests, [...counts.values()])
    } catch (error) {
      for (const [key, requests] of counts) this.#counts.set(key, sumOfRequests(this.#counts.get(key), requests))
      throw error
    }
  }

  /** Returns the record of the cluster, with the counts of this isolate. */
  async record(): Promise<readonly DeprecatedRequests[]> {
    await this.send()
    return send(this.#client.control(), controlProtocol.deprecatedRequests)
  }
}
