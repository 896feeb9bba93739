/** The setting CLUSTER_OWNER_LIMITS: what those may have who make clusters and are not administrators of the deployment. */
import { parseDuration } from '../go/duration.ts'

/** The limits of one owner, and of each of the owner's clusters. An absent one does not limit. */
export interface ClusterOwnerLimits {
  /** Clusters of one owner. */
  readonly clusters?: number
  /** The limits of each cluster, which an owner may lower: those of `spec.limits`. */
  readonly objects?: number
  readonly bytes?: number
  readonly requestsPerSecond?: number
  readonly watches?: number
  /** The longest life of a cluster, and its default: a duration such as 168h. */
  readonly expiry?: string
}

/** The fields that are numbers; all but the first are fields of `spec.limits`. */
const numberFields = ['clusters', 'objects', 'bytes', 'requestsPerSecond', 'watches'] as const

/** The fields of `spec.limits` that owners have limits for. */
export const limitedFields = ['objects', 'bytes', 'requestsPerSecond', 'watches'] as const

const wrong = (problem: string): Error => new Error(problem)

function checkExpiry(expiry: unknown): void {
  try {
    if (typeof expiry === 'string' && parseDuration(expiry) > 0n) return
  } catch {
    // The text is no duration.
  }
  throw wrong('expiry must be a duration such as 168h')
}

/**
 * Reads the setting; '' for no limits.
 * @throws Error that names what is wrong
 */
export function readClusterOwnerLimits(text: string): ClusterOwnerLimits {
  if (text === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw wrong('is no JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong('must be an object')
  for (const [name, limit] of Object.entries(value)) {
    if (name === 'expiry') checkExpiry(limit)
    else if (!numberFields.some((field) => field === name)) throw wrong(`${JSON.stringify(name)} is no limit`)
    else if (!Number.isSafeInteger(limit) || Number(limit) < 1) throw wrong(`${name} must be a whole number above 0`)
  }
  return value
}
