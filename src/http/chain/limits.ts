/** Who has to come again later: rates by user and by address, and seats by priority level. Asked once it is known who asks. */
import type { Attributes } from '../../auth/attributes.ts'
import { type Flow, FlowControl } from '../../auth/flow-control/classification.ts'
import { mastersGroup } from '../../auth/user.ts'
import type { FlowControlObjects } from '../../catalog/shapes/flow-control.ts'
import type { PolicyCache } from '../../clusters/policy.ts'
import { tooManyRequestsMessage } from '../../meta/errors.ts'
import type { User } from '../../meta/user.ts'
import type { Release, Seats } from '../limits/seats.ts'
import type { TokenBuckets } from '../limits/token-buckets.ts'
import { clientAddress } from './client-address.ts'

/** A counter of the platform's: for all isolates of a place. */
export interface RateLimitBinding {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>
}

/** By what one key is limited: buckets of this isolate, the platform's counter, both, or nothing. */
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

/** Whether a request is let in. */
export interface Admission {
  /** Under what it runs; undefined for what is no matter of priority. */
  readonly flow: Flow | undefined
  /** How what it holds is given back, or the answer where it has to come again. */
  readonly outcome: Release | Response
}

const compiled = new WeakMap<FlowControlObjects, FlowControl>()

/** The classification by a state of the objects: made once for each. */
function flowControlOf(objects: FlowControlObjects): FlowControl {
  let flowControl = compiled.get(objects)
  if (flowControl === undefined) {
    flowControl = new FlowControl(objects)
    compiled.set(objects, flowControl)
  }
  return flowControl
}

/** As kube-apiserver answers: no Status, and clients tell it by the code. */
export function tooManyRequests(retryAfterSeconds: number): Response {
  return new Response(`${tooManyRequestsMessage}\n`, {
    status: 429,
    headers: {
      'retry-after': String(retryAfterSeconds),
      'cache-control': 'no-cache, private',
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    },
  })
}

/** In how many seconds the key may come again; 0 where it may now. The platform's counter does not tell: its shortest period is 10 s. */
async function exceeded({ buckets, binding }: RateLimit, key: string): Promise<number> {
  const wait = buckets?.take(key, Date.now()) ?? 0
  if (wait > 0 || binding === undefined) return wait
  return (await binding.limit({ key })).success ? 0 : 10
}

const isLimited = ({ buckets, binding }: RateLimit): boolean => buckets !== undefined || binding !== undefined

/**
 * How long an address has to wait whose requests cannot be told apart otherwise, because nobody could be authenticated.
 * @returns seconds; 0 for not at all
 */
export async function addressWait(limits: Limits, request: Request): Promise<number> {
  return isLimited(limits.address) ? exceeded(limits.address, clientAddress(request)) : 0
}

/** Requests that last: they are not counted, except for watches, which are while they begin. */
export const longRunningSubresources: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward'])

/** Whether the request may last for as long as its client wants, and is no watch. */
export function isLongRunning(asked: Attributes): boolean {
  return asked.isResource && (asked.verb === 'proxy' || longRunningSubresources.has(asked.subresource))
}

/**
 * Lets a request in, when it is its turn.
 * @param aside takes what goes on beside the request
 */
export async function admit(
  { limits, policy }: { readonly limits: Limits; readonly policy: PolicyCache },
  request: Request,
  user: User,
  asked: Attributes,
  aside: (work: Promise<unknown>) => void,
): Promise<Admission> {
  const atHand = policy.cached(aside)
  if (atHand instanceof Promise && user.groups.includes(mastersGroup)) {
    // They are exempt in every cluster: an isolate's first answer to them does not wait for what only names their flow schema.
    aside(atHand.catch(() => undefined))
    return { flow: undefined, outcome: nothing }
  }
  const { flowControl: objects } = atHand instanceof Promise ? await atHand : atHand
  const flowControl = flowControlOf(objects)
  const classified = flowControl.classify(user, asked)
  const flow = isLongRunning(asked) ? undefined : classified
  if (classified?.level.type !== 'Exempt') {
    const wait = await rateWait(limits, request, user)
    if (wait > 0) return { flow, outcome: tooManyRequests(wait) }
  }
  if (flow === undefined) return { flow, outcome: nothing }
  const taken = limits.seats.take(flowControl, flow, user, asked)
  const release = taken instanceof Promise ? await taken : taken
  return { flow, outcome: release === 'full' ? tooManyRequests(1) : release }
}

const nothing: Release = () => {}

async function rateWait(limits: Limits, request: Request, user: User): Promise<number> {
  const wait = await addressWait(limits, request)
  if (wait > 0 || !isLimited(limits.user)) return wait
  return exceeded(limits.user, user.name)
}
