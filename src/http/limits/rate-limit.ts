/** Rates by user and by address: token buckets of this isolate, a counter of the platform, or both. */
import { clientAddress } from '../client-address.ts'
import type { Seats } from './seats.ts'
import type { TokenBuckets } from './token-buckets.ts'

/** A counter of the platform that all isolates of one location share. */
export interface RateLimitBinding {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>
}

/** The limit of one key. If both are undefined, nothing is limited. */
export interface RateLimit {
  readonly buckets: TokenBuckets | undefined
  readonly binding: RateLimitBinding | undefined
}

/** A deployment's limits. */
export interface Limits {
  readonly user: RateLimit
  readonly address: RateLimit
  readonly seats: Seats
}

/** The platform's counter does not tell for how long it refuses; its shortest period is 10 s. */
const bindingPeriodSeconds = 10

async function waitOf({ buckets, binding }: RateLimit, key: string): Promise<number> {
  const wait = buckets?.take(key, Date.now()) ?? 0
  if (wait > 0 || binding === undefined) return wait
  return (await binding.limit({ key })).success ? 0 : bindingPeriodSeconds
}

const isLimited = ({ buckets, binding }: RateLimit): boolean => buckets !== undefined || binding !== undefined

/** Tells whether there is any rate to ask for. */
export const isRateLimited = ({ user, address }: Limits): boolean => isLimited(user) || isLimited(address)

/**
 * Counts a request against its client's address.
 * @returns seconds to wait; 0 if the request may go on
 */
export async function addressWait({ address }: Limits, request: Request): Promise<number> {
  return isLimited(address) ? waitOf(address, clientAddress(request)) : 0
}

/**
 * Counts a request against its client's address and its user.
 * @returns seconds to wait; 0 if the request may go on
 */
export async function rateWait(limits: Limits, request: Request, userName: string): Promise<number> {
  const wait = await addressWait(limits, request)
  if (wait > 0 || !isLimited(limits.user)) return wait
  return waitOf(limits.user, userName)
}
