/** Reads the terms of a cluster from the spec of its Cluster object. */
import type { ClusterLimits, ClusterTerms } from '../../clusters/cluster-terms.ts'
import type { ClusterPlacement } from '../../clusters/placement.ts'
import { parseDuration } from '../../go/duration.ts'
import type { ObjectMeta } from '../../meta/object-meta.ts'

/** The spec of a Cluster object, which its definition has validated. */
export interface ClusterSpec {
  readonly placement?: ClusterPlacement
  readonly location?: string
  readonly jurisdiction?: string
  /** A time in RFC 3339, or a duration since the creation such as `72h`. */
  readonly expiry?: string
  readonly limits?: ClusterLimits
  readonly historySeconds?: number
  /** The release whose API the cluster serves, such as `1.21`. */
  readonly emulatedRelease?: string
  /** The cluster, at one of its moments in RFC 3339, with whose objects a fork begins. */
  readonly forkedFrom?: { readonly name?: string; readonly time?: string }
}

/** Returns the time at which a cluster expires, in milliseconds since the epoch; NaN for a text that is neither time nor duration. */
function expiryOf(expiry: string, { creationTimestamp = '' }: ObjectMeta): number {
  if (/^\d{4}-/.test(expiry)) return Date.parse(expiry)
  try {
    return Date.parse(creationTimestamp) + Number(parseDuration(expiry) / 1_000_000n)
  } catch {
    return Number.NaN
  }
}

/** Returns the terms of a cluster, or the reason why its spec cannot be used. */
export function termsOf(
  { location, jurisdiction, expiry, limits, historySeconds, emulatedRelease }: ClusterSpec,
  metadata: ObjectMeta,
): ClusterTerms | string {
  const expiresAt = expiry === undefined ? undefined : expiryOf(expiry, metadata)
  if (Number.isNaN(expiresAt)) return 'spec.expiry is neither a time nor a duration'
  return {
    ...(expiresAt !== undefined && { expiresAt }),
    ...(limits !== undefined && Object.keys(limits).length > 0 && { limits }),
    ...(historySeconds !== undefined && { historySeconds }),
    ...(location !== undefined && { location }),
    ...(jurisdiction !== undefined && { jurisdiction }),
    ...(emulatedRelease !== undefined && { emulatedRelease }),
  }
}
