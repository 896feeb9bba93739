/** WithPriorityAndFairness: rates by user and by address, and a seat of the request's priority level. Follows KEP-1040. */
import type { Attributes } from '../../auth/attributes.ts'
import { type Flow, FlowControl } from '../../auth/flow-control/classification.ts'
import { mastersGroup } from '../../auth/user.ts'
import type { FlowControlObjects } from '../../clusters/flow-control-objects.ts'
import type { PolicyCache } from '../../clusters/policy.ts'
import type { User } from '../../meta/user.ts'
import { type Limits, rateWait } from '../limits/rate-limit.ts'
import type { Release } from '../limits/seats.ts'
import { isLongRunning } from '../long-running.ts'
import type { RequestKind } from '../metrics/request-metrics.ts'
import type { ServerMetrics } from '../metrics/server-metrics.ts'
import { tooManyRequests } from '../status.ts'
import type { Filter, RequestContext } from './filter.ts'

/** Headers that name the flow of a request. */
export const flowHeaders = ['x-kubernetes-pf-flowschema-uid', 'x-kubernetes-pf-prioritylevel-uid'] as const
const [flowSchemaHeader, priorityLevelHeader] = flowHeaders

const readOnlyVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch'])

/** Whether a request may go on. */
interface Admission {
  /** Undefined if the request has no part in flow control. */
  readonly flow: Flow | undefined
  /** Gives the seat back; or the refusal. */
  readonly outcome: Release | Response
}

const compiled = new WeakMap<FlowControlObjects, FlowControl>()

/** The classification by one state of the flow control objects, compiled once. */
function flowControlOf(objects: FlowControlObjects): FlowControl {
  let flowControl = compiled.get(objects)
  if (flowControl === undefined) {
    flowControl = new FlowControl(objects)
    compiled.set(objects, flowControl)
  }
  return flowControl
}

const noSeat: Release = () => {}

async function admit(limits: Limits, policy: PolicyCache, c: RequestContext, user: User): Promise<Admission> {
  const waitUntil = (work: Promise<unknown>): void => c.executionCtx.waitUntil(work)
  const snapshot = policy.cached(waitUntil)
  if (snapshot instanceof Promise && user.groups.includes(mastersGroup)) {
    // They are exempt in every cluster: an isolate's first answer to them does not wait for what only names their flow schema.
    waitUntil(snapshot.catch(() => undefined))
    return { flow: undefined, outcome: noSeat }
  }
  const { flowControl: objects } = snapshot instanceof Promise ? await snapshot : snapshot
  return admitBy(flowControlOf(objects), limits, { request: c.req.raw, user, attributes: c.get('attributes') })
}

interface Sender {
  readonly request: Request
  readonly user: User
  readonly attributes: Attributes
}

async function admitBy(flowControl: FlowControl, limits: Limits, { request, user, attributes }: Sender): Promise<Admission> {
  const classified = flowControl.classify(user, attributes)
  const flow = isLongRunning(attributes) ? undefined : classified
  if (classified?.level.type !== 'Exempt') {
    const wait = await rateWait(limits, request, user.name)
    if (wait > 0) return { flow, outcome: tooManyRequests(wait) }
  }
  if (flow === undefined) return { flow, outcome: noSeat }
  const taken = limits.seats.take(flowControl, flow, user, attributes)
  const release = taken instanceof Promise ? await taken : taken
  return { flow, outcome: release === 'full' ? tooManyRequests(1) : release }
}

/**
 * Reads `user` and `attributes`. Adds the headers of the flow to `responseHeaders`, and the seat to `releases`.
 * Answers 429 if a rate is exceeded, or if no seat becomes free in time.
 */
export function withPriorityAndFairness(limits: Limits, policy: PolicyCache, metrics: ServerMetrics): Filter {
  return async (c, next) => {
    const { flow, outcome } = await admit(limits, policy, c, c.get('user'))
    if (flow !== undefined) {
      const headers = c.get('responseHeaders')
      headers[flowSchemaHeader] = flow.schema.uid
      headers[priorityLevelHeader] = flow.level.uid
      if (outcome instanceof Response) metrics.rejected(flow)
      else metrics.dispatched(flow)
    }
    if (outcome instanceof Response) return outcome
    const kind: RequestKind = readOnlyVerbs.has(c.get('attributes').verb) ? 'readOnly' : 'mutating'
    const releases = c.get('releases')
    metrics.requests.begin(kind, Date.now())
    releases.add(outcome)
    releases.add(() => metrics.requests.end(kind, Date.now()))
    return next()
  }
}
