import { explicitEmpty } from '../../../schema/explicit-empty.ts'
import type { NodeSelector } from '../../generated/types/core.v1.ts'
import type { CounterSet, Device, ResourceSlice, ResourceSliceSpec } from '../../generated/types/resource.v1.ts'
import { internalJson } from '../../internal-json.ts'
import { type Errors, validator } from '../checks.ts'
import { checkNodeSelector } from '../pod/scheduling.ts'
import { checkDriver } from '../pod/volumes.ts'
import { checkCounters, checkDevice } from './device.ts'
import { checkSet } from './lists.ts'
import { checkPoolName } from './names.ts'

const mostDevices = 128
/** The largest number of devices if any device has taints or consumes counters. */
const mostAdvancedDevices = 64
const mostCounterSets = 8

function checkPool({ name, generation, resourceSliceCount: count }: ResourceSliceSpec['pool'], errors: Errors): void {
  checkPoolName(name, 'spec.pool.name', errors)
  if (count <= 0) errors.invalid('spec.pool.resourceSliceCount', count, 'must be greater than zero')
  if (generation < 0) errors.invalid('spec.pool.generation', generation, 'must be greater than or equal to zero')
}

function checkUnchanged(spec: ResourceSliceSpec, old: ResourceSliceSpec, errors: Errors): void {
  errors.checkImmutable(spec.pool.name, old.pool.name, 'spec.pool.name')
  errors.checkImmutable(spec.driver, old.driver, 'spec.driver')
  errors.checkImmutableChoice(spec.nodeName, old.nodeName, 'spec.nodeName')
}

function checkSelector(selector: NodeSelector, errors: Errors): void {
  checkNodeSelector(selector, 'spec.nodeSelector', errors)
  const terms = selector.nodeSelectorTerms ?? []
  if (terms.length === 1) return
  const given = selector.nodeSelectorTerms ?? explicitEmpty(selector, 'nodeSelectorTerms') ?? null
  const reported = given === null ? null : internalJson('[]NodeSelectorTerm', given)
  errors.invalid('spec.nodeSelector.nodeSelectorTerms', reported, 'must have exactly one node selector term')
}

/** Validates the fields that select the slice's nodes. Returns the names of those that are set. */
function checkReach(spec: ResourceSliceSpec, errors: Errors): string[] {
  const set: string[] = []
  const { nodeName, nodeSelector } = spec
  if (nodeName === '') {
    errors.invalid('spec.nodeName', nodeName, 'must be either unset or set to a non-empty string')
  } else if (nodeName !== undefined) {
    set.push('`nodeName`')
    errors.checkDnsSubdomain(nodeName, 'spec.nodeName')
  }
  if (nodeSelector !== undefined) {
    set.push('`nodeSelector`')
    checkSelector(nodeSelector, errors)
  }
  for (const name of ['allNodes', 'perDeviceNodeSelection'] as const) {
    const value = spec[name]
    if (value === true) set.push(`\`${name}\``)
    else if (value === false) errors.invalid(`spec.${name}`, value, 'must be either unset or set to true')
  }
  return set
}

function checkCounterSet({ name, counters }: CounterSet, field: string, errors: Errors): void {
  checkCounters({ field: 'name', value: name }, counters, field, errors)
}

const isAdvanced = ({ taints = [], consumesCounters = [] }: Device): boolean => taints.length + consumesCounters.length > 0

function checkDevices(spec: ResourceSliceSpec, old: ResourceSliceSpec | undefined, errors: Errors): void {
  const devices = spec.devices ?? []
  const before = new Map((old?.devices ?? []).map((device) => [device.name, device]))
  const check = (device: Device, field: string): void =>
    checkDevice(device, before.get(device.name), spec.perDeviceNodeSelection === true, field, errors)
  const most = devices.some(isAdvanced) ? mostAdvancedDevices : mostDevices
  checkSet(devices, most, check, ({ name }) => name, 'spec.devices', errors)
}

/** Validates a ResourceSlice, except its metadata. */
export const validateResourceSlice = validator((errors, { spec }: ResourceSlice, old?: ResourceSlice) => {
  checkDriver(spec.driver, 'spec.driver', errors)
  checkPool(spec.pool, errors)
  if (old !== undefined) checkUnchanged(spec, old.spec, errors)
  const reach = checkReach(spec, errors)
  const one = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required'
  if (reach.length === 0) errors.required('spec', one)
  else if (reach.length > 1) {
    errors.invalid('spec', `{${reach.join(', ')}}`, `${one}, but multiple fields are set`)
  }
  const isGiven = (name: 'sharedCounters' | 'devices'): boolean => (spec[name] ?? explicitEmpty(spec, name)) !== undefined
  if (isGiven('sharedCounters') && isGiven('devices')) {
    errors.invalid('spec', '', 'only one of `sharedCounters` or `devices` is allowed')
  }
  checkDevices(spec, old?.spec, errors)
  checkSet(spec.sharedCounters, mostCounterSets, checkCounterSet, ({ name }) => name, 'spec.sharedCounters', errors)
})
