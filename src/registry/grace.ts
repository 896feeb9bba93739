/** How long an object may stay when it is deleted, and how a second deletion shortens that. Follows rest.BeforeDelete. */

import { rfc3339Seconds } from '../go/time.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { StrategyHooks } from './hooks.ts'

/** What the grace of a deletion comes to. */
export type Grace =
  /** The kind knows none, or it is over. */
  | { readonly is: 'none' }
  /** A deletion is under way that ends no later than the asked one. */
  | { readonly is: 'pending' }
  /** The object stays until `until`, in milliseconds. */
  | { readonly is: 'granted'; readonly seconds: number; readonly until: number }

/** @param requested seconds; a negative number counts as 1 */
export function graceOf(
  object: KubernetesObject,
  gracePeriod: StrategyHooks['checkGracefulDelete'],
  requested: number | undefined,
  now: number,
): Grace {
  const asked = requested !== undefined && requested < 0 ? 1 : requested
  if (gracePeriod === undefined) return { is: 'none' }
  const { deletionTimestamp, deletionGracePeriodSeconds: before = 0 } = object.metadata
  if (deletionTimestamp !== undefined) return shortened(Date.parse(deletionTimestamp), before, asked, now)
  const period = gracePeriod(object, asked)
  const seconds = period < 0 ? 1 : period
  return { is: 'granted', seconds, until: now + seconds * 1000 }
}

function shortened(end: number, before: number, asked: number | undefined, now: number): Grace {
  if (before === 0) return { is: 'none' }
  if (asked === undefined || asked >= before) return { is: 'pending' }
  const until = end - before * 1000 + asked * 1000
  if (until >= now) return { is: 'granted', seconds: asked, until }
  // The time is over already: whoever holds the object still gets to end it, unless none was granted at all.
  return { is: 'granted', seconds: asked === 0 ? 0 : 1, until: now }
}

/** Marks an object as being deleted, with the grace that it was granted. */
export function markGraceful({ metadata }: KubernetesObject, { seconds, until }: Extract<Grace, { is: 'granted' }>): void {
  if (metadata.deletionTimestamp === undefined) countGeneration({ metadata })
  metadata.deletionTimestamp = rfc3339Seconds(until)
  metadata.deletionGracePeriodSeconds = seconds
}

/** Marks an object as being deleted: what keeps it from now on are finalizers alone. */
export function markDeleted({ metadata }: KubernetesObject, now: number): void {
  if (metadata.deletionTimestamp === undefined) countGeneration({ metadata })
  if (metadata.deletionTimestamp === undefined || Date.parse(metadata.deletionTimestamp) > now) {
    metadata.deletionTimestamp = rfc3339Seconds(now)
  }
  metadata.deletionGracePeriodSeconds = 0
}

function countGeneration({ metadata }: Pick<KubernetesObject, 'metadata'>): void {
  if ((metadata.generation ?? 0) > 0) metadata.generation = (metadata.generation ?? 0) + 1
}
