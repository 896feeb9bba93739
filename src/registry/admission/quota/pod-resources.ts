/**
 * The resources that a Pod requests, and its limits. Follows PodRequests and PodLimits of k8s.io/component-helpers/resource, with the
 * options of the quota system: resources in the status count, and so do resources of the whole Pod.
 */
import type { Container, ContainerStatus, Pod, PodSpec } from '../../../catalog/generated/types/core.v1.ts'
import { ownValue } from '../../../go/own-value.ts'
import { addQuantities, compareQuantities } from '../../../meta/quantity.ts'
import { addLists, maximumOf, type ResourceList } from './resource-list.ts'

/** The half of resource requirements that is summed. */
type Half = 'requests' | 'limits'

const isOfPod = (name: string): boolean => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')

/** Whether the Pod has resources of its own beside those of its containers. Follows IsPodLevelResourcesSet. */
export function hasPodResources({ resources }: PodSpec): boolean {
  return [...Object.keys(resources?.requests ?? {}), ...Object.keys(resources?.limits ?? {})].some(isOfPod)
}

const isResizeInfeasible = ({ status }: Pod): boolean =>
  (status.conditions ?? []).find(({ type }) => type === 'PodResizePending')?.reason === 'Infeasible'

/** Returns the resources that a container occupies: while it is resized, the larger of the old and the new ones. */
function effective(pod: Pod, half: Half, { resources }: Container, status: ContainerStatus | undefined): ResourceList {
  const spec = resources?.[half] ?? {}
  if (status?.resources === undefined) return spec
  const actuated = status.resources[half] ?? {}
  const allocated = half === 'requests' ? (status.allocatedResources ?? {}) : {}
  if (!isResizeInfeasible(pod)) return maximumOf(maximumOf(spec, actuated), allocated)
  return maximumOf(actuated, allocated)
}

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always'

/** Sums the containers; init containers run one after another, and sidecars beside all that start after them. */
function ofContainers(pod: Pod, half: Half): ResourceList {
  const { spec, status } = pod
  const statuses = new Map(
    [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].map((each) => [each.name, each]),
  )
  let total: ResourceList = {}
  for (const container of spec.containers ?? []) {
    total = addLists(total, effective(pod, half, container, statuses.get(container.name)))
  }
  let sidecars: ResourceList = {}
  let starting: ResourceList = {}
  for (const container of spec.initContainers ?? []) {
    const own = effective(pod, half, container, isSidecar(container) ? statuses.get(container.name) : undefined)
    if (isSidecar(container)) {
      total = addLists(total, own)
      sidecars = addLists(sidecars, own)
      starting = maximumOf(starting, sidecars)
    } else starting = maximumOf(starting, addLists(own, sidecars))
  }
  return maximumOf(total, starting)
}

function withPodResources(list: ResourceList, { resources }: PodSpec, half: Half): ResourceList {
  const own = Object.entries(resources?.[half] ?? {}).filter(([name]) => isOfPod(name))
  return { ...list, ...Object.fromEntries(own) }
}

/** Returns the requests of a Pod, with its overhead. */
export function requestsOf(pod: Pod): ResourceList {
  const requests = withPodResources(ofContainers(pod, 'requests'), pod.spec, 'requests')
  return addLists(requests, pod.spec.overhead ?? {})
}

/** Returns the limits of a Pod, with its overhead on limits that are not 0. */
export function limitsOf(pod: Pod): ResourceList {
  const limits: Record<string, string> = { ...withPodResources(ofContainers(pod, 'limits'), pod.spec, 'limits') }
  for (const [name, overhead] of Object.entries(pod.spec.overhead ?? {})) {
    const limit = ownValue(limits, name)
    if (limit !== undefined && compareQuantities(limit, '0') !== 0) limits[name] = addQuantities(limit, overhead)
  }
  return limits
}
