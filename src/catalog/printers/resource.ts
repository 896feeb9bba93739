/** Table columns of resource.k8s.io. */
import type { JsonObject } from '../../go/json-value.ts'
import { printersOf } from './column.ts'
import type { Printers } from './printer.ts'
import { child, children, has, text } from './read.ts'

function claimState(claim: JsonObject): string {
  const status = child(claim, 'status')
  const isDeleted = has(child(claim, 'metadata'), 'deletionTimestamp')
  const isAllocated = has(status, 'allocation')
  const states = [
    isDeleted && 'deleted',
    !isDeleted && !isAllocated && 'pending',
    isAllocated && 'allocated',
    isAllocated && children(status, 'reservedFor').length > 0 && 'reserved',
  ]
  return states.filter((state) => state !== false).join(',')
}

export const resourcePrinters: Printers = printersOf({
  'deviceclasses.resource.k8s.io': {},
  'resourceclaims.resource.k8s.io': {
    State: claimState,
  },
  'resourceclaimtemplates.resource.k8s.io': {},
  'resourceslices.resource.k8s.io': {
    Node: (object) => text(child(object, 'spec'), 'nodeName'),
    Driver: (object) => text(child(object, 'spec'), 'driver'),
    Pool: (object) => text(child(object, 'spec', 'pool'), 'name'),
  },
})
