/**
 * The condition Available of APIServices that name a Service. Pure: the wiring reads the objects and asks the servers. Follows the
 * remote availability controller of k8s.io/kube-aggregator.
 */
import type { APIService, APIServiceCondition } from '../../catalog/generated/types/apiregistration.v1.ts'
import type { Endpoints, Service } from '../../catalog/generated/types/core.v1.ts'
import type { EndpointSlice } from '../../catalog/generated/types/discovery.v1.ts'
import type { ApiService } from '../../clusters/api-services.ts'
import { goQuote } from '../../go/text.ts'

/** A condition before it is known since when it holds. */
export type Finding = Required<Pick<APIServiceCondition, 'status' | 'reason' | 'message'>>

/** The objects that lead to the server of an APIService. */
export interface ServiceObjects {
  /** Undefined if it does not exist. */
  readonly service: Service | undefined
  readonly slices: readonly EndpointSlice[]
  /** Endpoints that were created by hand, which count without EndpointSlices. */
  readonly endpoints: Endpoints | undefined
  /** Whether a route leads to the server, so that the Service needs no endpoints. */
  readonly isRouted: boolean
}

const no = (reason: string, message: string): Finding => ({ status: 'False', reason, message })

export const local: Finding = { status: 'True', reason: 'Local', message: 'Local APIServices are always available' }
export const passed: Finding = { status: 'True', reason: 'Passed', message: 'all checks passed' }
export const failed = (message: string): Finding => no('FailedDiscoveryCheck', message)

function hasReadySlice(slices: readonly EndpointSlice[], portName: string): boolean {
  return slices.some(({ endpoints, ports }) => {
    const isReady = (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false)
    return isReady && (ports ?? []).some(({ name, port }) => name === portName && port !== undefined)
  })
}

const hasReadyEndpoints = ({ subsets = [] }: Endpoints, portName: string): boolean =>
  subsets.some(({ addresses = [], ports = [] }) => addresses.length > 0 && ports.some(({ name = '' }) => name === portName))

/** Returns the finding about the Service and its endpoints; undefined if only the server itself can tell more. */
export function findingOf(
  { service: { namespace, name, port } }: Pick<ApiService, 'service'>,
  { service, slices, endpoints, isRouted }: ServiceObjects,
): Finding | undefined {
  const place = `service/${name} in ${goQuote(namespace)}`
  if (service === undefined) return no('ServiceNotFound', `${place} is not present`)
  if ((service.spec?.type ?? 'ClusterIP') !== 'ClusterIP') return undefined
  const found = (service.spec?.ports ?? []).find((each) => each.port === port)
  if (found === undefined) return no('ServicePortError', `${place} is not listening on port ${port}`)
  if (isRouted) return undefined
  const portName = found.name ?? ''
  if (slices.length === 0) {
    if (endpoints === undefined) return no('EndpointsNotFound', `cannot find endpointslices for ${place}`)
    if (hasReadyEndpoints(endpoints, portName)) return undefined
  } else if (hasReadySlice(slices, portName)) return undefined
  return no('MissingEndpoints', `endpointslices for ${place} have no addresses with port name ${goQuote(portName)}`)
}

const type = 'Available'

/** Returns the conditions with this finding; undefined if nothing changes. The time changes with the status only. */
export function withFinding({ status }: APIService, finding: Finding, now: string): APIServiceCondition[] | undefined {
  const conditions = status?.conditions ?? []
  const existing = conditions.find((one) => one.type === type)
  const isSame = existing?.status === finding.status
  if (isSame && existing.reason === finding.reason && existing.message === finding.message) return undefined
  const lastTransitionTime = isSame ? existing.lastTransitionTime : now
  const changed = { type, lastTransitionTime, ...finding }
  return existing === undefined ? [...conditions, changed] : conditions.map((one) => (one === existing ? changed : one))
}

/** The pauses between the attempts to reach a server that does not answer, in milliseconds. */
const firstPause = 1_000
const longestPause = 60_000
const attempts = 10

/**
 * Returns the pause before the next attempt; undefined after about five minutes. From then on a server is asked again after a
 * change, or when the cluster is used: a cluster that nobody uses asks nobody.
 */
export const pauseAfter = (attempt: number): number | undefined =>
  attempt > attempts ? undefined : Math.min(firstPause * 2 ** (attempt - 1), longestPause)
