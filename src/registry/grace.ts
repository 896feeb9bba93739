/** The grace period of a deletion, and its shortening by a second deletion. Follows rest.BeforeDelete. */

import { rawNumber } from '../go/json.ts'
import { rfc3339Seconds } from '../go/time.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { StrategyHooks } from './hooks.ts'

/** The decision about the grace period of a deletion. */
export type Grace =
  /** The kind has no graceful deletion, or the period is over. */
  | { readonly is: 'none' }
  /** A pending deletion ends no later than the requested one. */
  | { readonly is: 'pending' }
  /** The object exists until `until`, in milliseconds since the epoch. */
  | { readonly is: 'granted'; readonly seconds: number; readonly until: number }

/** The greatest number of seconds. */
const maximumSeconds = 2n ** 63n - 1n

/** The seconds up to which Go's nanoseconds of 64 bits do not overflow. */
const exactSeconds = 9_223_372_036

/** Returns a number of seconds as an integer of 64 bits: doubles above 2^53 may round to more. */
function integerOf(seconds: number): bigint {
  const integer = BigInt(seconds)
  return integer > maximumSeconds ? maximumSeconds : integer
}

/** Returns a number of seconds in milliseconds. A Go duration counts nanoseconds, and wraps around. */
function milliseconds(seconds: number): number {
  if (seconds <= exactSeconds) return seconds * 1000
  return Number(BigInt.asIntN(64, integerOf(seconds) * 1_000_000_000n) / 1_000_000n)
}

/**
 * Decides about the grace period of a deletion.
 * @param gracePeriod the hook of the kind's strategy; undefined if the kind has no graceful deletion
 * @param requested gracePeriodSeconds of the options; a negative number counts as 1
 * @param now milliseconds since the epoch
 */
export function graceOf(
  object: KubernetesObject,
  gracePeriod: StrategyHooks['checkGracefulDelete'],
  requested: number | undefined,
  now: number,
): Grace {
  const bounded = requested !== undefined && requested < 0 ? 1 : requested
  if (gracePeriod === undefined) return { is: 'none' }
  const { deletionTimestamp, deletionGracePeriodSeconds: before = 0 } = object.metadata
  if (deletionTimestamp !== undefined) return shortened(Date.parse(deletionTimestamp), Number(before), bounded, now)
  const period = gracePeriod(object, bounded)
  const seconds = period < 0 ? 1 : period
  return { is: 'granted', seconds, until: now + milliseconds(seconds) }
}

function shortened(end: number, before: number, requested: number | undefined, now: number): Grace {
  if (before === 0) return { is: 'none' }
  if (requested === undefined || requested >= before) return { is: 'pending' }
  const until = end - milliseconds(before) + milliseconds(requested)
  if (until >= now) return { is: 'granted', seconds: requested, until }
  // The time is over already. One second lets the kubelet end the object itself, unless 0 was requested.
  return { is: 'granted', seconds: requested === 0 ? 0 : 1, until: now }
}

/** Returns a number that is written with all its digits. The type of metadata does not provide for it. */
const largeNumber = (seconds: number): number => rawNumber(String(integerOf(seconds))) as unknown as number

/** Marks an object as being deleted, with the granted grace period. */
export function markGraceful({ metadata }: KubernetesObject, { seconds, until }: Extract<Grace, { is: 'granted' }>): void {
  if (metadata.deletionTimestamp === undefined) countGeneration({ metadata })
  metadata.deletionTimestamp = rfc3339Seconds(until)
  metadata.deletionGracePeriodSeconds = Number.isSafeInteger(seconds) ? seconds : largeNumber(seconds)
}

/** Marks an object as being deleted without a grace period: only finalizers keep it. */
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
