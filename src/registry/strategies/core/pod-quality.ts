/** The quality of service class of a Pod. Follows k8s.io/kubernetes/pkg/apis/core/helper/qos. */
import type { PodSpec, ResourceList, ResourceRequirements } from '../../../catalog/generated/types/core.v1.ts'
import { ownValue } from '../../../go/own-value.ts'
import { addQuantities, compareQuantities } from '../../../meta/quantity.ts'

const resources = ['cpu', 'memory'] as const

type Totals = Map<string, string>

function addTo(totals: Totals, list: ResourceList | undefined): number {
  let found = 0
  for (const name of resources) {
    const amount = ownValue(list, name)
    if (amount === undefined || compareQuantities(amount, '0') <= 0) continue
    const before = totals.get(name)
    totals.set(name, before === undefined ? amount : addQuantities(before, amount))
    found++
  }
  return found
}

/** Returns `Guaranteed` if all requests equal all limits, `BestEffort` if the Pod has neither, else `Burstable`. */
export function qualityOfService(spec: PodSpec): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const requests: Totals = new Map()
  const limits: Totals = new Map()
  let isLimited = true
  const count = (requirements: ResourceRequirements): void => {
    addTo(requests, requirements.requests)
    if (addTo(limits, requirements.limits) < resources.length) isLimited = false
  }
  if (spec.resources === undefined) {
    for (const container of spec.containers ?? []) count(container.resources)
    for (const container of spec.initContainers ?? []) count(container.resources)
  } else count(spec.resources)
  if (requests.size === 0 && limits.size === 0) return 'BestEffort'
  const isEqual = [...requests].every(([name, amount]) => compareQuantities(amount, limits.get(name) ?? '0') === 0)
  return isLimited && isEqual && requests.size === limits.size ? 'Guaranteed' : 'Burstable'
}
