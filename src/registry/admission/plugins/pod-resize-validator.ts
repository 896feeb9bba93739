/** The admission plugin PodResizeValidator: a resized Pod must fit on its node, which must run Linux. */
import type { Pod } from '../../../catalog/generated/types/core.v1.ts'
import { totalOfContainers } from '../../../catalog/validation/pod/total-resources.ts'
import { ownValue } from '../../../go/own-value.ts'
import { goQuote } from '../../../go/text.ts'
import { ApiError } from '../../../meta/errors.ts'
import { addQuantities, compareQuantities, scaledQuantityValue } from '../../../meta/quantity.ts'
import { type AdmissionPlugin, admissionForbidden } from '../plugin.ts'
import { nodeOf, type Resize, resizeHandler } from './resized-pod.ts'

/** The resources that are compared, and the unit in the message as a power of ten. */
const compared = [
  ['cpu', -3],
  ['memory', 0],
] as const

/** Returns the request of a whole Pod: that of the Pod itself, or of its containers, and the overhead. */
function requestOf({ spec }: Pod, resource: string): string {
  const request = ownValue(spec.resources?.requests, resource) ?? totalOfContainers(spec, 'requests').get(resource) ?? '0'
  const overhead = ownValue(spec.overhead, resource)
  return overhead === undefined ? request : addQuantities(request, overhead)
}

/** Returns the 403 error with a cause. */
function refusal({ attributes, pod }: Resize, why: string, cause: string): ApiError {
  const { code, reason, message, details } = admissionForbidden(attributes, pod, why)
  return new ApiError(code, reason, message, { ...details, causes: [{ reason: cause }] })
}

function validateResize(resize: Resize): void {
  const { pod } = resize
  const { labels, allocatable = {} } = nodeOf(resize)
  const system = ownValue(labels, 'kubernetes.io/os')
  if (system !== undefined && system !== 'linux') {
    const why = `pod resize is only supported on linux nodes, node ${goQuote(pod.spec.nodeName ?? '')} is ${goQuote(system)}`
    throw refusal(resize, why, 'UnsupportedPlatform')
  }
  const excesses = compared.flatMap(([resource, unit]) => {
    const [requested, available] = [requestOf(pod, resource), ownValue(allocatable, resource) ?? '0']
    if (compareQuantities(requested, available) <= 0) return []
    const [request, limit] = [scaledQuantityValue(requested, unit), scaledQuantityValue(available, unit)]
    return [`${resource}, requested: ${request}, allocatable: ${limit}`]
  })
  if (excesses.length === 0) return
  throw refusal(resize, `node didn't have enough allocatable resources: ${excesses.join('; ')}`, 'NodeCapacity')
}

/** Validates an UPDATE of /resize. Follows the plugin of k8s.io/kubernetes. */
export const podResizeValidator: AdmissionPlugin = {
  name: 'PodResizeValidator',
  handlers: [resizeHandler(validateResize)],
}
