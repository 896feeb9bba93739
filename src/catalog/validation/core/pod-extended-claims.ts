/** Checks of the claim that stands for a Pod's extended resources. Follows ValidatePodStatusUpdate of k8s.io/kubernetes. */

import { ownValue } from '../../../go/own-value.ts'
import { duplicate, invalidValue, required } from '../../../meta/field-error.ts'
import type { PodSpec } from '../../shapes/pod.ts'
import { checkDnsLabel, checkDnsSubdomain, type Errors } from '../checks.ts'

interface RequestMapping {
  readonly containerName: string
  readonly resourceName: string
  readonly requestName: string
}

/** `status.extendedResourceClaimStatus` as decoding leaves it. */
export interface ExtendedResourceClaimStatus {
  readonly requestMappings?: readonly RequestMapping[] | null
  readonly resourceClaimName: string
}

const field = 'status.extendedResourceClaimStatus'
const lists = 'spec.initContainers.resources.requests or spec.containers.resources.requests'

function checkPlace({ containerName, resourceName }: RequestMapping, spec: PodSpec, at: string, errors: Errors): void {
  // Of containers that share a name, the last counts.
  const container = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].findLast(({ name }) => name === containerName)
  if (container === undefined) {
    const why = 'must match the name of an entry in spec.initContainers.name or spec.containers.name'
    errors.push(invalidValue(`${at}.containerName`, containerName, why))
  } else if (ownValue(container.resources.requests, resourceName) === undefined) {
    errors.push(invalidValue(`${at}.resourceName`, resourceName, `must match the extended resource name of an entry in ${lists}`))
  }
}

/** Tells what is wrong with the claim and with what is mapped to it. */
export function checkExtendedClaim(status: ExtendedResourceClaimStatus | undefined, spec: PodSpec, errors: Errors): void {
  if (status === undefined) return
  const { resourceClaimName } = status
  const mappings = status.requestMappings ?? []
  if (mappings.length === 0) errors.push(required(`${field}.requestMappings`, 'at least one request mapping is required'))
  const seen = new Set<string>()
  for (const [index, mapping] of mappings.entries()) {
    const at = `${field}.requestMappings[${index}]`
    checkPlace(mapping, spec, at, errors)
    checkDnsLabel(mapping.requestName, `${field}.requestName`, errors)
    const names = ['containerName', 'resourceName', 'requestName'] as const
    const key = JSON.stringify(names.map((name) => mapping[name]))
    if (seen.has(key)) for (const name of names) errors.push(duplicate(`${at}.${name}`, mapping[name]))
    seen.add(key)
  }
  if (resourceClaimName === '') errors.push(required(`${field}.resourceClaimName`))
  else checkDnsSubdomain(resourceClaimName, `${field}.resourceClaimName`, errors)
}
