/** Quota of ResourceClaims. Follows resource_claims.go of k8s.io/kubernetes/pkg/quota/v1/evaluator/core. */

import type { DeviceRequest, DeviceSubRequest, ResourceClaim } from '../../../../catalog/generated/types/resource.v1.ts'
import type { QuotaFacts, ResourceList } from '../../../../clusters/quota-messages.ts'
import type { KubernetesObject } from '../../../../meta/object-meta.ts'
import type { Evaluator } from '../evaluator.ts'
import { addLists, maximumOf } from '../resource-list.ts'

const claimCount = 'count/resourceclaims.resource.k8s.io'
/** Follows the name of a device class. */
const devicesOfClass = '.deviceclass.resource.k8s.io/devices'
/** The most devices that one claim may get, which a request for all devices counts as. */
const allDevices = 32

function devices({ deviceClassName, allocationMode, count = 0 }: Omit<DeviceSubRequest, 'name'>): ResourceList {
  const amount = allocationMode === 'All' ? allDevices : allocationMode === 'ExactCount' ? count : 0
  return { [deviceClassName + devicesOfClass]: String(amount) }
}

/** Returns the devices that a request gets in the worst case. */
function devicesOf({ exactly, firstAvailable = [] }: DeviceRequest): ResourceList {
  if (firstAvailable.length === 0) return exactly === undefined ? {} : devices(exactly)
  let most: ResourceList = {}
  for (const alternative of firstAvailable) most = maximumOf(most, devices(alternative))
  return most
}

function factsOf(object: KubernetesObject): QuotaFacts {
  let usage: ResourceList = { [claimCount]: '1' }
  for (const request of (object as ResourceClaim).spec.devices?.requests ?? []) usage = addLists(usage, devicesOf(request))
  return { usage }
}

/** The evaluator of ResourceClaims. */
export const resourceClaims: Evaluator = {
  tracks: (name) => name === claimCount || name.endsWith(devicesOfClass),
  handles: ({ subresource }) => subresource === '',
  factsOf,
  counted: [claimCount],
  isByNumber: false,
}
