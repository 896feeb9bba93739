/** Rate limits by user, by client address and of strangers: token buckets of this isolate, a rate limit binding, or both. */

import { unauthenticatedGroup } from '../../auth/user.ts'
import type { TokenBuckets } from '../../meta/token-buckets.ts'
import type { User } from '../../meta/user.ts'
import { clientAddress } from '../client-address.ts'
import type { Seats } from './seats.ts'

/** A rate limit binding of the platform. All isolates of one location share its counters. */
export interface RateLimitBinding {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>
}

/** The limit of one key. If both are undefined, nothing is limited. */
export interface RateLimit {
  readonly buckets: TokenBuckets | undefined
  readonly binding: RateLimitBinding | undefined
}

/** The limits of a deployment. */
export interface Limits {
  readonly user: RateLimit
  readonly address: RateLimit
  /** By address as well, for requests without valid credentials alone. */
  readonly strangers: RateLimit
  readonly seats: Seats
}

/** The wait after a refusal by the binding, which does not return a time. Its shortest period is 10 s. */
const bindingPeriodSeconds = 10

async function waitOf({ buckets, binding }: RateLimit, key: string): Promise<number> {
  const wait = buckets?.take(key, Date.now()) ?? 0
  if (wait > 0 || binding === undefined) return wait
  return (await binding.limit({ key })).success ? 0 : bindingPeriodSeconds
}

const isLimited = ({ buckets, binding }: RateLimit): boolean => buckets !== undefined || binding !== undefined

/** Whether any rate limit is configured. */
export const isRateLimited = ({ user, address, strangers }: Limits): boolean =>
  isLimited(user) || isLimited(address) || isLimited(strangers)

async function addressWait({ address }: Limits, request: Request): Promise<number> {
  return isLimited(address) ? waitOf(address, clientAddress(request)) : 0
}

/**
 * Counts a request without valid credentials for its client's address.
 * @returns the seconds to wait; 0 if the request is accepted
 */
export async function strangerWait(limits: Limits, request: Request): Promise<number> {
  const wait = await addressWait(limits, request)
  if (wait > 0 || !isLimited(limits.strangers)) return wait
  return waitOf(limits.strangers, clientAddress(request))
}

/**
 * Counts a request for its client's address and its user.
 * @returns the seconds to wait; 0 if the request is accepted
 */
export async function rateWait(limits: Limits, request: Request, user: User): Promise<number> {
  const isStranger = user.groups.includes(unauthenticatedGroup)
  const wait = await (isStranger ? strangerWait(limits, request) : addressWait(limits, request))
  if (wait > 0 || !isLimited(limits.user)) return wait
  return waitOf(limits.user, user.name)
}
