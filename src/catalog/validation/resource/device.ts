import { isLabelValue } from '../../../meta/names.ts'
import { validateLabelKey } from '../../../meta/object-meta-validation.ts'
import { compareQuantities } from '../../../meta/quantity.ts'
import type * as resourcev1 from '../../generated/types/resource.v1.ts'
import { type Errors, isSame } from '../checks.ts'
import { checkNodeSelector } from '../pod/scheduling.ts'
import { checkBindingConditions } from './binding-conditions.ts'
import { checkAttribute, checkSharedCapacity, checkWholeCapacity } from './capacity.ts'
import { checkEffect } from './claim.ts'
import { isNativeResource } from './device-class.ts'
import { checkList, checkMap, checkSet } from './lists.ts'
import { checkAttributeName } from './names.ts'

const mostProperties = 32
const mostTaints = 16
const mostConsumptions = 2
const counterLimits = { most: 32, longestKey: 63 }
const propertyLimits = { most: Number.POSITIVE_INFINITY, longestKey: 96 }

function checkProperties(device: resourcev1.Device, field: string, errors: Errors): void {
  const { attributes = {}, capacity = {} } = device
  const count = Object.keys(attributes).length + Object.keys(capacity).length
  if (count > mostProperties) {
    errors.invalid(field, count, `the total number of attributes and capacities must not exceed ${mostProperties}`)
  }
  checkMap(attributes, propertyLimits, checkAttributeName, checkAttribute, `${field}.attributes`, errors)
  const check = device.allowMultipleAllocations === true ? checkSharedCapacity : checkWholeCapacity
  checkMap(capacity, propertyLimits, checkAttributeName, check, `${field}.capacity`, errors)
}

/** Checks a taint. */
export function checkTaint({ key, value = '', effect }: resourcev1.DeviceTaint, field: string, errors: Errors): void {
  errors.push(...validateLabelKey(key, `${field}.key`))
  if (value !== '') errors.checkMessages(isLabelValue(value), value, `${field}.value`)
  if (effect === '') errors.required(`${field}.effect`)
  else checkEffect(effect, `${field}.effect`, errors)
}

/** Checks the name of a counter set, and its counters. */
export function checkCounters(
  name: { readonly field: string; readonly value: string },
  counters: resourcev1.DeviceCounterConsumption['counters'],
  field: string,
  errors: Errors,
): void {
  if (name.value === '') errors.required(`${field}.${name.field}`)
  else errors.checkDnsLabel(name.value, `${field}.${name.field}`)
  const checkKey = (key: string, at: string): void => errors.checkDnsLabel(key, at)
  if (Object.keys(counters ?? {}).length === 0) errors.required(`${field}.counters`)
  else checkMap(counters, counterLimits, checkKey, () => {}, `${field}.counters`, errors)
}

function checkConsumption({ counterSet, counters }: resourcev1.DeviceCounterConsumption, field: string, errors: Errors): void {
  checkCounters({ field: 'counterSet', value: counterSet }, counters, field, errors)
}

/** Validates the node fields of a device whose slice sets perDeviceNodeSelection. */
function checkReach({ nodeName, nodeSelector, allNodes }: resourcev1.Device, field: string, errors: Errors): void {
  const set: string[] = []
  if (nodeName === '') errors.invalid(`${field}.nodeName`, nodeName, 'must not be empty')
  else if (nodeName !== undefined) {
    set.push('`nodeName`')
    errors.checkDnsSubdomain(nodeName, `${field}.nodeName`)
  }
  if (nodeSelector !== undefined) {
    set.push('`nodeSelector`')
    checkNodeSelector(nodeSelector, `${field}.nodeSelector`, errors)
  }
  if (allNodes === true) set.push('`allNodes`')
  else if (allNodes === false) {
    errors.invalid(`${field}.allNodes`, allNodes, 'must be either unset or set to true')
  }
  const text =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec'
  if (set.length === 0) errors.required(field, text)
  else if (set.length > 1) errors.invalid(field, `{${set.join(', ')}}`, text)
}

function checkMapping(
  mapping: resourcev1.NodeAllocatableResourceMapping,
  device: resourcev1.Device,
  field: string,
  errors: Errors,
): void {
  const { allocationMultiplier: multiplier, capacityKey: key } = mapping
  if (multiplier !== undefined && compareQuantities(multiplier, '0') <= 0) {
    errors.invalid(`${field}.allocationMultiplier`, multiplier, 'must be positive')
  }
  if (key === '') errors.invalid(`${field}.capacityKey`, '', 'capacityKey must not be an empty string')
  else if (key !== undefined && !Object.hasOwn(device.capacity ?? {}, key)) {
    errors.notFound(`${field}.capacityKey`, key)
  }
}

function checkMappings(device: resourcev1.Device, field: string, errors: Errors): void {
  for (const [name, mapping] of Object.entries(device.nodeAllocatableResourceMappings ?? {})) {
    const at = `${field}[${name}]`
    if (!isNativeResource(name)) errors.invalid(at, name, 'must be a node allocatable resource name')
    checkMapping(mapping, device, at, errors)
  }
}

/**
 * Validates a device of a slice.
 * @param old the device of the same name in the old slice, if any
 * @param saysReach whether perDeviceNodeSelection is set: each device names its own nodes
 */
export function checkDevice(
  device: resourcev1.Device,
  old: resourcev1.Device | undefined,
  saysReach: boolean,
  field: string,
  errors: Errors,
): void {
  errors.checkDnsLabel(device.name, `${field}.name`)
  checkProperties(device, field, errors)
  if (old === undefined || !isSame(old.taints, device.taints)) {
    checkList(device.taints, mostTaints, checkTaint, `${field}.taints`, errors)
  }
  const { consumesCounters, nodeName, nodeSelector, allNodes } = device
  checkSet(consumesCounters, mostConsumptions, checkConsumption, (each) => each.counterSet, `${field}.consumesCounters`, errors)
  if (saysReach) checkReach(device, field, errors)
  else if (nodeName !== undefined || nodeSelector !== undefined || allNodes !== undefined) {
    const text =
      '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec'
    errors.invalid(field, null, text)
  }
  checkBindingConditions(device, field, errors)
  checkMappings(device, `${field}.nodeAllocatableResourceMappings`, errors)
}
