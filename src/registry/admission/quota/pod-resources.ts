/**
 * The resources that a Pod requests, and its limits. Follows PodRequests and PodLimits of k8s.io/component-helpers/resource, with the
 * options of the quota system: resources in the status count, and so do resources of the whole Pod.
 */
import type { Container, ContainerStatus, Pod, PodSpec } from '../../../catalog/generated/types/core.v1.ts'
import type { ResourceList } from '../../../clusters/quota-messages.ts'
import { ownValue } from '../../../go/own-value.ts'
import { compareParsed, formatQuantity, parseQuantity, type Quantity, sumOfParsed } from '../../../meta/quantity.ts'

/** The half of resource requirements that is summed. */
type Half = 'requests' | 'limits'

/** Parsed quantities by the name of the resource. */
type Quantities = Readonly<Record<string, Quantity>>

const parsed = (list: ResourceList = {}): Quantities =>
  Object.fromEntries(Object.entries(list).map(([name, text]) => [name, parseQuantity(text)]))

const formatted = (list: Quantities): ResourceList =>
  Object.fromEntries(Object.entries(list).map(([name, quantity]) => [name, formatQuantity(quantity)]))

/** Combines both lists; resources of only one of them stay as they are. */
function combined(a: Quantities, b: Quantities, combine: (a: Quantity, b: Quantity) => Quantity): Quantities {
  const result: Record<string, Quantity> = { ...a }
  for (const [name, quantity] of Object.entries(b)) {
    const other = ownValue(a, name)
    result[name] = other === undefined ? quantity : combine(other, quantity)
  }
  return result
}

const sumOf = (a: Quantities, b: Quantities): Quantities => combined(a, b, sumOfParsed)
const maximumOf = (a: Quantities, b: Quantities): Quantities => combined(a, b, (x, y) => (compareParsed(y, x) > 0 ? y : x))

const isOfPod = (name: string): boolean => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')

/** Whether the Pod has resources of its own beside those of its containers. Follows IsPodLevelResourcesSet. */
export function hasPodResources({ resources }: PodSpec): boolean {
  return [...Object.keys(resources?.requests ?? {}), ...Object.keys(resources?.limits ?? {})].some(isOfPod)
}

const isResizeInfeasible = ({ status }: Pod): boolean =>
  (status.conditions ?? []).find(({ type }) => type === 'PodResizePending')?.reason === 'Infeasible'

/** Returns the resources that a container occupies: while it is resized, the larger of the old and the new ones. */
function effective(pod: Pod, half: Half, { resources }: Container, status: ContainerStatus | undefined): Quantities {
  const spec = parsed(resources?.[half])
  if (status?.resources === undefined) return spec
  const actuated = parsed(status.resources[half])
  const allocated = half === 'requests' ? parsed(status.allocatedResources) : {}
  if (!isResizeInfeasible(pod)) return maximumOf(maximumOf(spec, actuated), allocated)
  return maximumOf(actuated, allocated)
}

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always'

/** Sums the containers; init containers run one after another, and sidecars beside all that start after them. */
function ofContainers(pod: Pod, half: Half): Quantities {
  const { spec, status } = pod
  const statuses = new Map(
    [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].map((each) => [each.name, each]),
  )
  let total: Quantities = {}
  for (const container of spec.containers ?? []) {
    total = sumOf(total, effective(pod, half, container, statuses.get(container.name)))
  }
  let sidecars: Quantities = {}
  let starting: Quantities = {}
  for (const container of spec.initContainers ?? []) {
    const own = effective(pod, half, container, isSidecar(container) ? statuses.get(container.name) : undefined)
    if (isSidecar(container)) {
      total = sumOf(total, own)
      sidecars = sumOf(sidecars, own)
      starting = maximumOf(starting, sidecars)
    } else starting = maximumOf(starting, sumOf(own, sidecars))
  }
  return maximumOf(total, starting)
}

function withPodResources(list: Quantities, { resources }: PodSpec, half: Half): Quantities {
  const own = Object.entries(parsed(resources?.[half])).filter(([name]) => isOfPod(name))
  return { ...list, ...Object.fromEntries(own) }
}

/** Returns the requests of a Pod, with its overhead. */
export function requestsOf(pod: Pod): ResourceList {
  const requests = withPodResources(ofContainers(pod, 'requests'), pod.spec, 'requests')
  return formatted(sumOf(requests, parsed(pod.spec.overhead)))
}

/** Returns the limits of a Pod, with its overhead on limits that are not 0. */
export function limitsOf(pod: Pod): ResourceList {
  const limits = withPodResources(ofContainers(pod, 'limits'), pod.spec, 'limits')
  const isLimited = ([name]: [string, unknown]): boolean => (ownValue(limits, name)?.digits ?? '') !== ''
  const overhead = Object.entries(parsed(pod.spec.overhead)).filter(isLimited)
  return formatted(sumOf(limits, Object.fromEntries(overhead)))
}
