/** The admission plugin EventRateLimit: limits the rate of Events. Disabled by default. */

import type { EventRateLimit } from '../../../config/admission/documents.ts'
import type { AdmissionSettings } from '../../../config/admission/settings.ts'
import { ApiError } from '../../../meta/errors.ts'
import { aggregateTexts } from '../../../meta/field-error.ts'
import { LruCache } from '../../../meta/lru-cache.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { TokenBuckets } from '../../../meta/token-buckets.ts'
import type { Store } from '../../../storage/store.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../plugin.ts'

interface Event extends KubernetesObject {
  readonly source?: { readonly component?: string; readonly host?: string }
  readonly involvedObject?: Readonly<Partial<Record<'kind' | 'namespace' | 'name' | 'uid' | 'apiVersion', string>>>
}

/** Returns the key of the bucket for each type of limit. */
const keys: Readonly<Record<EventRateLimit['type'], (attributes: AdmissionAttributes, event: Event) => string>> = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject: (_attributes, { source: { component = '', host = '' } = {}, involvedObject = {} }) => {
    const { kind = '', namespace = '', name = '', uid = '', apiVersion = '' } = involvedObject
    return [component, host, kind, namespace, name, uid, apiVersion].join('')
  },
}

/** The number of decisions that are kept for repeated attempts. */
const mostDecisions = 1000

/** The limits of one collection of Events. */
class EventLimits {
  readonly #limits: readonly { readonly type: EventRateLimit['type']; readonly buckets: TokenBuckets }[]
  readonly #decisions = new LruCache<string, readonly string[]>(mostDecisions)

  constructor({ eventRateLimits }: AdmissionSettings) {
    this.#limits = eventRateLimits.map(({ type, qps, burst, cacheSize }) => ({
      type,
      buckets: new TokenBuckets({ perSecond: qps, burst }, cacheSize),
    }))
  }

  /**
   * Takes a token of each limit. A repeated attempt of the same write gets the same decision and takes no further token.
   * @param attempt names the write
   * @returns the limits that are reached
   */
  take(attributes: AdmissionAttributes, event: Event, now: number, attempt: string): readonly string[] {
    const known = this.#decisions.get(attempt)
    if (known !== undefined) return known
    const reached = this.#limits.flatMap(({ type, buckets }) => {
      const key = keys[type](attributes, event)
      return buckets.take(key, now) === 0 ? [] : [`limit reached on type ${type} for key ${key}`]
    })
    this.#decisions.set(attempt, reached)
    return reached
  }
}

const limitsOf = new WeakMap<Store, EventLimits>()

/** Limits a CREATE and an UPDATE of an Event of the core group. Follows the plugin of k8s.io/kubernetes. */
export const eventRateLimit: AdmissionPlugin = {
  name: 'EventRateLimit',
  handlers: [
    {
      operations: ['CREATE', 'UPDATE'],
      resources: ['events'],
      validate(attributes, object, _old, { settings, store, now }) {
        if (attributes.kind.group !== '' || attributes.dryRun || store === undefined) return
        const limits = limitsOf.get(store) ?? new EventLimits(settings)
        limitsOf.set(store, limits)
        const time = now()
        const { uid = '', resourceVersion = '' } = object.metadata
        const reached = limits.take(attributes, object as Event, time, `${uid} ${resourceVersion} ${time}`)
        if (reached.length > 0) throw new ApiError(429, 'TooManyRequests', `Too many requests: ${aggregateTexts(reached)}`)
      },
    },
  ],
}
