/** Checks of the status of ResourceClaims. Follows k8s.io/kubernetes/pkg/apis/resource/validation. */

import { utf8Length } from '../../../go/text.ts'
import {
  enumValue,
  type FieldError,
  forbiddenValue,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../../../meta/field-error.ts'
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
  ResourceClaim,
  ResourceClaimStatus,
} from '../../shapes/device.ts'
import { internalJson } from '../../shapes/internal-json.ts'
import { checkDnsLabel, checkImmutable, type Errors, isSame } from '../checks.ts'
import { checkInterfaceAddress } from '../interface-address.ts'
import { checkNodeSelector } from '../pod/scheduling.ts'
import { checkDriver } from '../pod/volumes.ts'
import { checkConditions } from '../status/conditions.ts'
import { checkBindingConditions } from './binding-conditions.ts'
import {
  checkConfiguration,
  checkRequestReference,
  checkRequestReferences,
  mostConfigurations,
  type RequestNames,
  requestNamesOf,
} from './claim.ts'
import { checkList, checkSet } from './lists.ts'
import { checkJsonObject, checkPoolName, checkUuid } from './names.ts'

const mostConsumers = 256
const mostResults = 32
const mostConditions = 8
const mostAddresses = 16
const longestData = 10 * 1024
const longestInterface = 256
const longestHardwareAddress = 128
const sources = ['FromClaim', 'FromClass']

/** What tells devices apart, also those that are shared. */
interface DeviceIdentity {
  driver: string
  pool: string
  device: string
  shareID?: string
}

/** The identity of a device as messages show it, and as it is compared. */
export const shownIdentity = ({ driver, pool, device, shareID = '' }: DeviceIdentity) => ({
  Driver: driver,
  Pool: pool,
  Device: device,
  ShareID: shareID,
})

/** The same as text. */
export const identityOf = (device: DeviceIdentity): string => JSON.stringify(shownIdentity(device))

type Consumer = NonNullable<ResourceClaimStatus['reservedFor']>[number]

function checkConsumer(consumer: Consumer, field: string, errors: Errors): void {
  for (const name of ['resource', 'name', 'uid'] as const) if (consumer[name] === '') errors.push(required(`${field}.${name}`))
}

function checkNetwork(data: NonNullable<AllocatedDeviceStatus['networkData']>, field: string, errors: Errors): void {
  const { interfaceName = '', hardwareAddress = '', ips } = data
  if (utf8Length(interfaceName) > longestInterface) errors.push(tooLong(`${field}.interfaceName`, longestInterface))
  if (utf8Length(hardwareAddress) > longestHardwareAddress) {
    errors.push(tooLong(`${field}.hardwareAddress`, longestHardwareAddress))
  }
  checkSet(ips, mostAddresses, checkInterfaceAddress, (ip) => ip, `${field}.ips`, errors)
}

function checkDevice(device: AllocatedDeviceStatus, allocated: ReadonlySet<string>, field: string, errors: Errors): void {
  const { data, networkData, shareID } = device
  checkDriver(device.driver, `${field}.driver`, errors)
  checkPoolName(device.pool, `${field}.pool`, errors)
  checkDnsLabel(device.device, `${field}.device`, errors)
  if (shareID !== undefined) checkUuid(shareID, `${field}.shareID`, errors)
  if (!allocated.has(identityOf(device))) {
    errors.push(invalidValue(field, shownIdentity(device), 'must be an allocated device in the claim'))
  }
  const conditions = device.conditions ?? []
  if (conditions.length > mostConditions) errors.push(tooMany(`${field}.conditions`, conditions.length, mostConditions))
  checkConditions(conditions, `${field}.conditions`, errors)
  if (data !== undefined && data !== null) checkJsonObject(data, longestData, `${field}.data`, errors)
  if (networkData !== undefined) checkNetwork(networkData, `${field}.networkData`, errors)
}

function checkResult(result: DeviceRequestAllocationResult, names: RequestNames, field: string, errors: Errors): void {
  checkRequestReference(result.request, names, `${field}.request`, errors)
  checkDriver(result.driver, `${field}.driver`, errors)
  checkPoolName(result.pool, `${field}.pool`, errors)
  checkDnsLabel(result.device, `${field}.device`, errors)
  checkBindingConditions(result, field, errors)
  if (result.shareID !== undefined) checkUuid(result.shareID, `${field}.shareID`, errors)
}

function checkAllocated(config: DeviceAllocationConfiguration, names: RequestNames, field: string, errors: Errors): void {
  const { source } = config
  if (source === '') errors.push(required(`${field}.source`))
  else if (!sources.includes(source)) errors.push(notSupported(`${field}.source`, enumValue(source), ['FromClaim', 'FromClass']))
  checkRequestReferences(config.requests, names, `${field}.requests`, errors)
  checkConfiguration(config, field, errors)
}

function checkAllocation({ devices = {}, nodeSelector }: AllocationResult, names: RequestNames, errors: Errors): void {
  const field = 'status.allocation'
  const checkOne = (result: DeviceRequestAllocationResult, at: string): void => checkResult(result, names, at, errors)
  checkList(devices.results, mostResults, checkOne, `${field}.devices.results`, errors)
  const checkConfig = (config: DeviceAllocationConfiguration, at: string): void => checkAllocated(config, names, at, errors)
  // Those of the class and those of the claim.
  checkList(devices.config, 2 * mostConfigurations, checkConfig, `${field}.devices.config`, errors)
  if (nodeSelector !== undefined) checkNodeSelector(nodeSelector, `${field}.nodeSelector`, errors)
}

function checkReservations(claim: ResourceClaim, before: readonly Consumer[], errors: Errors): void {
  const { reservedFor = [], allocation } = claim.status ?? {}
  const field = 'status.reservedFor'
  if (reservedFor.length === 0) return
  if (allocation === undefined) errors.push(forbiddenValue(field, 'may not be specified when `allocated` is not set'))
  else if (claim.metadata.deletionTimestamp !== undefined) {
    const isNew = reservedFor.some((consumer) => !before.some((other) => isSame(consumer, other)))
    const text = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set'
    if (isNew) errors.push(forbiddenValue(field, text))
  }
}

/** What is wrong with a change of a ResourceClaim's status. */
export function validateResourceClaimStatus(claim: ResourceClaim, old: ResourceClaim): FieldError[] {
  const errors: Errors = []
  const { reservedFor, devices, allocation } = claim.status ?? {}
  const before = old.status ?? {}
  checkSet(reservedFor, mostConsumers, checkConsumer, ({ uid }) => uid, 'status.reservedFor', errors)
  const allocated = new Set((allocation?.devices?.results ?? []).map(identityOf))
  const checkOne = (device: AllocatedDeviceStatus, at: string): void => checkDevice(device, allocated, at, errors)
  checkSet(devices, Number.POSITIVE_INFINITY, checkOne, identityOf, 'status.devices', errors, shownIdentity)
  checkReservations(claim, before.reservedFor ?? [], errors)
  if (allocation === undefined) return errors
  if (before.allocation === undefined) checkAllocation(allocation, requestNamesOf(claim.spec.devices), errors)
  else {
    const shown = (value: AllocationResult) => internalJson('resource.AllocationResult', value)
    checkImmutable(shown(allocation), shown(before.allocation), 'status.allocation', errors)
  }
  return errors
}
