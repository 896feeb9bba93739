/**
 * Checks of the ResourceClaim that is created for a Pod's extended resources. Follows ValidatePodStatusUpdate of
 * k8s.io/kubernetes.
 */
import { ownValue } from '../../../go/own-value.ts'
import type { ContainerExtendedResourceRequest, PodExtendedResourceClaimStatus, PodSpec } from '../../generated/types/core.v1.ts'
import { type Errors, itemsOf } from '../checks.ts'

const field = 'status.extendedResourceClaimStatus'
const lists = 'spec.initContainers.resources.requests or spec.containers.resources.requests'

function checkPlace(
  { containerName, resourceName }: ContainerExtendedResourceRequest,
  spec: PodSpec,
  at: string,
  errors: Errors,
): void {
  // If containers share a name, the last one counts.
  const container = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].findLast(({ name }) => name === containerName)
  if (container === undefined) {
    const why = 'must match the name of an entry in spec.initContainers.name or spec.containers.name'
    errors.invalid(`${at}.containerName`, containerName, why)
  } else if (ownValue(container.resources.requests, resourceName) === undefined) {
    errors.invalid(`${at}.resourceName`, resourceName, `must match the extended resource name of an entry in ${lists}`)
  }
}

/** Validates the claim and its request mappings. */
export function checkExtendedClaim(status: PodExtendedResourceClaimStatus | undefined, spec: PodSpec, errors: Errors): void {
  if (status === undefined) return
  const { resourceClaimName } = status
  const mappings = status.requestMappings ?? []
  if (mappings.length === 0) errors.required(`${field}.requestMappings`, 'at least one request mapping is required')
  const seen = new Set<string>()
  for (const [at, mapping] of itemsOf(mappings, `${field}.requestMappings`)) {
    checkPlace(mapping, spec, at, errors)
    errors.checkDnsLabel(mapping.requestName, `${field}.requestName`)
    const names = ['containerName', 'resourceName', 'requestName'] as const
    const key = JSON.stringify(names.map((name) => mapping[name]))
    if (seen.has(key)) for (const name of names) errors.duplicate(`${at}.${name}`, mapping[name])
    seen.add(key)
  }
  if (resourceClaimName === '') errors.required(`${field}.resourceClaimName`)
  else errors.checkDnsSubdomain(resourceClaimName, `${field}.resourceClaimName`)
}
