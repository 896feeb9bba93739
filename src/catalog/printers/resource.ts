/** How the kinds of resource.k8s.io are shown. */
import type { JsonObject } from '../../go/json-value.ts'
import { ageColumn, fieldOf, name, printer } from './column.ts'
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

const resourceClaims = printer([
  name,
  {
    name: 'State',
    description: 'A summary of the current state (allocated, pending, reserved, etc.).',
    cell: claimState,
  },
  ageColumn,
])

const SLICE = 'resource/v1.ResourceSliceSpec'

const resourceSlices = printer([
  name,
  { name: 'Node', description: fieldOf(SLICE, 'nodeName'), cell: (object) => text(child(object, 'spec'), 'nodeName') },
  { name: 'Driver', description: fieldOf(SLICE, 'driver'), cell: (object) => text(child(object, 'spec'), 'driver') },
  {
    name: 'Pool',
    description: fieldOf('resource/v1.ResourcePool', 'name'),
    cell: (object) => text(child(object, 'spec', 'pool'), 'name'),
  },
  ageColumn,
])

export const resourcePrinters: Printers = {
  'deviceclasses.resource.k8s.io': printer([name, ageColumn]),
  'resourceclaims.resource.k8s.io': resourceClaims,
  'resourceclaimtemplates.resource.k8s.io': printer([name, ageColumn]),
  'resourceslices.resource.k8s.io': resourceSlices,
}
