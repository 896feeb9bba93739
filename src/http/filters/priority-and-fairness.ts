/** WithPriorityAndFairness: rate limits by user and address, and a seat of the request's priority level. Follows KEP-1040. */
import type { Attributes } from '../../auth/attributes.ts'
import { type Flow, FlowControl } from '../../auth/flow-control/classification.ts'
import { mastersGroup } from '../../auth/user.ts'
import type { FlowControlObjects } from '../../clusters/flow-control-objects.ts'
import type { PolicyCache } from '../../clusters/policy.ts'
import type { User } from '../../meta/user.ts'
import { isRateLimited, type Limits, rateWait } from '../limits/rate-limit.ts'
import type { Release } from '../limits/seats.ts'
import { isLongRunning } from '../long-running.ts'
import type { RejectionReason } from '../metrics/flow-control-metrics.ts'
import type { RequestKind } from '../metrics/request-metrics.ts'
import type { ServerMetrics } from '../metrics/server-metrics.ts'
import { tooManyRequests } from '../status.ts'
import type { Filter, RequestContext } from './filter.ts'
import { askerOf } from './policy.ts'
import { unhandled } from './request-metrics.ts'

/** The response headers with the UIDs of the request's FlowSchema and PriorityLevelConfiguration. */
export const flowHeaders = ['x-kubernetes-pf-flowschema-uid', 'x-kubernetes-pf-prioritylevel-uid'] as const
const [flowSchemaHeader, priorityLevelHeader] = flowHeaders

const readOnlyVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch'])

/** The decision about a request. */
interface Admission {
  /** Undefined if flow control does not apply to the request. */
  readonly flow: Flow | undefined
  /** The function that releases the seat, or the response of a rejected request. */
  readonly outcome: Release | Response
  /** The seconds in a queue. */
  readonly waited: number
  /** Undefined if no seat was free for the request. */
  readonly reason?: RejectionReason
}

const compiled = new WeakMap<FlowControlObjects, FlowControl>()

/** Returns the compiled classification of one state of the flow control objects. It is compiled only once. */
function flowControlOf(objects: FlowControlObjects): FlowControl {
  let flowControl = compiled.get(objects)
  if (flowControl === undefined) {
    flowControl = new FlowControl(objects)
    compiled.set(objects, flowControl)
  }
  return flowControl
}

const noSeat: Release = () => {}

interface Sender {
  /** Counts a request that waits in a queue. Returns the function that counts its end. */
  readonly waits: (flow: Flow) => () => void
  readonly request: Request
  readonly user: User
  readonly attributes: Attributes
}

/** Decides about a request; synchronously if there is no rate limit and a seat is free. */
function admit(flowControl: FlowControl, limits: Limits, sender: Sender): Admission | Promise<Admission> {
  const classified = flowControl.classify(sender.user, sender.attributes)
  const flow = isLongRunning(sender.attributes) ? undefined : classified
  const seat = (): Admission | Promise<Admission> => takeSeat(flowControl, limits, flow, sender)
  if (classified?.level.type === 'Exempt' || !isRateLimited(limits)) return seat()
  return rateWait(limits, sender.request, sender.user).then((wait) =>
    wait > 0 ? { flow, outcome: tooManyRequests(wait), waited: 0 } : seat(),
  )
}

function takeSeat(
  flowControl: FlowControl,
  { seats }: Limits,
  flow: Flow | undefined,
  { user, attributes, waits }: Sender,
): Admission | Promise<Admission> {
  if (flow === undefined) return { flow, outcome: noSeat, waited: 0 }
  const admission = (release: Release | 'full', waited: number, reason: RejectionReason): Admission =>
    release === 'full' ? { flow, outcome: tooManyRequests(1), waited, reason } : { flow, outcome: release, waited }
  const taken = seats.take(flowControl, flow, user, attributes)
  if (!(taken instanceof Promise)) return admission(taken, 0, fullReason(flow))
  const [began, ended] = [Date.now(), waits(flow)]
  return taken.finally(ended).then((release) => admission(release, (Date.now() - began) / 1000, 'time-out'))
}

/** Returns the reason why a request is rejected at once. */
const fullReason = ({ level }: Flow): RejectionReason =>
  level.type === 'Limited' && level.limitResponse.type === 'Reject' ? 'concurrency-limit' : 'queue-full'

const kindOf = (c: RequestContext): RequestKind => (readOnlyVerbs.has(c.get('attributes').verb) ? 'readOnly' : 'mutating')

/** Counts the request and adds its flow headers. Returns the response of a rejected request. */
function dispatch(c: RequestContext, admission: Admission, metrics: ServerMetrics): Response | undefined {
  const { flow, outcome, waited, reason } = admission
  const releases = c.get('releases')
  if (flow !== undefined) {
    const headers = c.get('responseHeaders')
    headers[flowSchemaHeader] = flow.schema.uid
    headers[priorityLevelHeader] = flow.level.uid
    if (reason !== undefined) metrics.flowControl.rejected(flow, reason, waited)
  }
  if (outcome instanceof Response) {
    metrics.requests.terminated(unhandled(c), 429)
    return outcome
  }
  const [kind, began, delays] = [kindOf(c), Date.now(), c.get('delays')]
  if (delays !== undefined) delays.seconds += waited
  const ended = flow === undefined ? undefined : metrics.flowControl.dispatched(flow, waited)
  metrics.requests.begin(kind, began)
  releases.add(outcome)
  releases.add(() => {
    const now = Date.now()
    metrics.requests.end(kind, now)
    ended?.((now - began) / 1000)
  })
  return undefined
}

/**
 * Reads `user` and `attributes`. Adds the flow headers to `responseHeaders`, and the seat to `releases`.
 * Responds with 429 if a rate limit is exceeded, or if no seat becomes free in time.
 */
export function withPriorityAndFairness(limits: Limits, policy: PolicyCache, metrics: ServerMetrics): Filter {
  const admissionOf = (c: RequestContext): Admission | Promise<Admission> => {
    const [user, attributes, request] = [c.get('user'), c.get('attributes'), c.req.raw]
    const waitUntil = (work: Promise<unknown>): void => c.executionCtx.waitUntil(work)
    const snapshot = policy.cached(waitUntil, askerOf(c))
    const waits = (flow: Flow): (() => void) => {
      const [kind, ended] = [kindOf(c), metrics.flowControl.waits(flow)]
      metrics.requests.beginWaiting(kind, Date.now())
      return () => {
        ended()
        metrics.requests.endWaiting(kind, Date.now())
      }
    }
    const sender = { request, user, attributes, waits }
    if (!(snapshot instanceof Promise)) return admit(flowControlOf(snapshot.flowControl), limits, sender)
    if (!user.groups.includes(mastersGroup)) {
      return snapshot.then(({ flowControl }) => admit(flowControlOf(flowControl), limits, sender))
    }
    // This group is exempt in every cluster: its first request in an isolate does not wait for the snapshot, which would only
    // name its FlowSchema.
    waitUntil(snapshot.catch(() => undefined))
    return { flow: undefined, outcome: noSeat, waited: 0 }
  }
  const duration = metrics.requests.filter('priorityandfairness')
  return async (c, next) => {
    const began = Date.now()
    const admission = admissionOf(c)
    if (admission instanceof Promise) c.env.suspension?.begin()
    const refusal = dispatch(c, admission instanceof Promise ? await admission : admission, metrics)
    if (refusal !== undefined) return refusal
    duration.observe((Date.now() - began) / 1000)
    await next()
  }
}
