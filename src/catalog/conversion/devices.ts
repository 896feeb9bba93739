/**
 * Changes of resource.k8s.io/v1beta1: a request for one kind of device is in `exactly`, and the fields of a device are no longer in
 * `basic`. Follows k8s.io/kubernetes/pkg/apis/resource/v1beta1/conversion.go.
 */
import { setKey } from '../../go/json.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { type Changes, objectAt, objectsAt, taken } from './fields.ts'

const exactFields = ['deviceClassName', 'selectors', 'allocationMode', 'count', 'adminAccess', 'tolerations', 'capacity']

const isSet = (value: unknown): boolean => value !== '' && value !== 0

function toExactly(request: JsonObject): void {
  const exactly = taken(request, exactFields)
  if (Object.values(exactly).some(isSet)) request.exactly = exactly
}

function fromExactly(request: JsonObject): void {
  const exactly = objectAt(request, 'exactly')
  delete request.exactly
  Object.assign(request, exactly)
}

const requestsOf = (spec: JsonObject | undefined): JsonObject[] => objectsAt(objectAt(spec, 'devices'), 'requests')

/** The changes of claims. */
export const claimChanges: Changes = {
  toStorage: (object) => requestsOf(objectAt(object, 'spec')).forEach(toExactly),
  fromStorage: (object) => requestsOf(objectAt(object, 'spec')).forEach(fromExactly),
}

/** The changes of the claims in templates. */
export const claimTemplateChanges: Changes = {
  toStorage: (object) => requestsOf(objectAt(objectAt(object, 'spec'), 'spec')).forEach(toExactly),
  fromStorage: (object) => requestsOf(objectAt(objectAt(object, 'spec'), 'spec')).forEach(fromExactly),
}

/** The changes of slices. nodeName and allNodes of a slice are behind pointers in v1. */
export const sliceChanges: Changes = {
  toStorage: (object) => {
    const spec = objectAt(object, 'spec') ?? {}
    if (spec.nodeName === '') delete spec.nodeName
    if (spec.allNodes === false) delete spec.allNodes
    for (const device of objectsAt(spec, 'devices')) {
      const { basic } = taken(device, ['basic'])
      Object.assign(device, basic)
    }
  },
  fromStorage: (object) => {
    for (const device of objectsAt(objectAt(object, 'spec'), 'devices')) {
      const { name } = device
      const basic = taken(device, Object.keys(device))
      delete basic.name
      Object.assign(device, { name, basic })
    }
  },
}

const capacitiesOf = (device: JsonObject | undefined): JsonObject => objectAt(device, 'capacity') ?? {}

/** The changes of slices of v1alpha3, where a capacity is a quantity. */
export const firstSliceChanges: Changes = {
  toStorage: (object) => {
    for (const device of objectsAt(objectAt(object, 'spec'), 'devices')) {
      const capacities = capacitiesOf(objectAt(device, 'basic'))
      for (const [name, value] of Object.entries(capacities)) setKey(capacities, name, { value: value ?? null })
    }
    sliceChanges.toStorage?.(object)
  },
  fromStorage: (object) => {
    for (const device of objectsAt(objectAt(object, 'spec'), 'devices')) {
      const capacities = capacitiesOf(device)
      for (const name of Object.keys(capacities)) setKey(capacities, name, objectAt(capacities, name)?.value ?? '0')
    }
    sliceChanges.fromStorage?.(object)
  },
}
