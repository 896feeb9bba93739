/** Checks of the status of ResourceClaims. Follows k8s.io/kubernetes/pkg/apis/resource/validation. */
import { utf8Length } from '../../../go/text.ts'
import * as resourcev1 from '../../generated/types/resource.v1.ts'
import { internalJson } from '../../internal-json.ts'
import { type Errors, validator } from '../checks.ts'
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

/** The fields that identify a device, including a share of a shared device. */
type DeviceIdentity = Pick<resourcev1.AllocatedDeviceStatus, 'driver' | 'pool' | 'device' | 'shareID'>

/** Converts the identity of a device to the form that error messages quote. */
export const internalIdentity = ({ driver, pool, device, shareID = '' }: DeviceIdentity) => ({
  Driver: driver,
  Pool: pool,
  Device: device,
  ShareID: shareID,
})

/** Serializes the identity of a device, so that it can be compared. */
export const identityOf = (device: DeviceIdentity): string => JSON.stringify(internalIdentity(device))

type Consumer = NonNullable<resourcev1.ResourceClaimStatus['reservedFor']>[number]

function checkConsumer(consumer: Consumer, field: string, errors: Errors): void {
  for (const name of ['resource', 'name', 'uid'] as const) if (consumer[name] === '') errors.required(`${field}.${name}`)
}

function checkNetwork(data: NonNullable<resourcev1.AllocatedDeviceStatus['networkData']>, field: string, errors: Errors): void {
  const { interfaceName = '', hardwareAddress = '', ips } = data
  if (utf8Length(interfaceName) > longestInterface) errors.tooLong(`${field}.interfaceName`, longestInterface)
  if (utf8Length(hardwareAddress) > longestHardwareAddress) errors.tooLong(`${field}.hardwareAddress`, longestHardwareAddress)
  checkSet(ips, mostAddresses, checkInterfaceAddress, (ip) => ip, `${field}.ips`, errors)
}

function checkDevice(
  device: resourcev1.AllocatedDeviceStatus,
  allocated: ReadonlySet<string>,
  field: string,
  errors: Errors,
): void {
  const { data, networkData, shareID } = device
  checkDriver(device.driver, `${field}.driver`, errors)
  checkPoolName(device.pool, `${field}.pool`, errors)
  errors.checkDnsLabel(device.device, `${field}.device`)
  if (shareID !== undefined) checkUuid(shareID, `${field}.shareID`, errors)
  if (!allocated.has(identityOf(device)))
    errors.invalid(field, internalIdentity(device), 'must be an allocated device in the claim')
  const conditions = device.conditions ?? []
  if (conditions.length > mostConditions) errors.tooMany(`${field}.conditions`, conditions.length, mostConditions)
  checkConditions(conditions, `${field}.conditions`, errors)
  if (data !== undefined && data !== null) checkJsonObject(data, longestData, `${field}.data`, errors)
  if (networkData !== undefined) checkNetwork(networkData, `${field}.networkData`, errors)
}

function checkResult(result: resourcev1.DeviceRequestAllocationResult, names: RequestNames, field: string, errors: Errors): void {
  checkRequestReference(result.request, names, `${field}.request`, errors)
  checkDriver(result.driver, `${field}.driver`, errors)
  checkPoolName(result.pool, `${field}.pool`, errors)
  errors.checkDnsLabel(result.device, `${field}.device`)
  checkBindingConditions(result, field, errors)
  if (result.shareID !== undefined) checkUuid(result.shareID, `${field}.shareID`, errors)
}

function checkAllocated(
  config: resourcev1.DeviceAllocationConfiguration,
  names: RequestNames,
  field: string,
  errors: Errors,
): void {
  const { source } = config
  if (source === '') errors.required(`${field}.source`)
  else errors.checkEnum(source, resourcev1.AllocationConfigSource, `${field}.source`)
  checkRequestReferences(config.requests, names, `${field}.requests`, errors)
  checkConfiguration(config, field, errors)
}

function checkAllocation({ devices = {}, nodeSelector }: resourcev1.AllocationResult, names: RequestNames, errors: Errors): void {
  const field = 'status.allocation'
  const checkOne = (result: resourcev1.DeviceRequestAllocationResult, at: string): void => checkResult(result, names, at, errors)
  checkList(devices.results, mostResults, checkOne, `${field}.devices.results`, errors)
  const checkConfig = (config: resourcev1.DeviceAllocationConfiguration, at: string): void =>
    checkAllocated(config, names, at, errors)
  // The configurations of the class and those of the claim.
  checkList(devices.config, 2 * mostConfigurations, checkConfig, `${field}.devices.config`, errors)
  if (nodeSelector !== undefined) checkNodeSelector(nodeSelector, `${field}.nodeSelector`, errors)
}

function checkReservations(claim: resourcev1.ResourceClaim, before: readonly Consumer[], errors: Errors): void {
  const { reservedFor = [], allocation } = claim.status ?? {}
  const field = 'status.reservedFor'
  if (reservedFor.length === 0) return
  if (allocation === undefined) errors.forbidden(field, 'may not be specified when `allocated` is not set')
  else if (claim.metadata.deletionTimestamp !== undefined) {
    const former = new Set(before.map((consumer) => JSON.stringify(consumer)))
    const isNew = reservedFor.some((consumer) => !former.has(JSON.stringify(consumer)))
    const text = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set'
    if (isNew) errors.forbidden(field, text)
  }
}

/** Validates an update of a ResourceClaim's status. */
export const validateResourceClaimStatus = validator((errors, claim: resourcev1.ResourceClaim, old: resourcev1.ResourceClaim) => {
  const { reservedFor, devices, allocation } = claim.status ?? {}
  const before = old.status ?? {}
  checkSet(reservedFor, mostConsumers, checkConsumer, ({ uid }) => uid, 'status.reservedFor', errors)
  const allocated = new Set((allocation?.devices?.results ?? []).map(identityOf))
  const checkOne = (device: resourcev1.AllocatedDeviceStatus, at: string): void => checkDevice(device, allocated, at, errors)
  checkSet(devices, Number.POSITIVE_INFINITY, checkOne, identityOf, 'status.devices', errors, internalIdentity)
  checkReservations(claim, before.reservedFor ?? [], errors)
  if (allocation === undefined) return
  if (before.allocation === undefined) checkAllocation(allocation, requestNamesOf(claim.spec.devices), errors)
  else {
    const toInternal = (value: resourcev1.AllocationResult) => internalJson('resource.AllocationResult', value)
    errors.checkImmutable(toInternal(allocation), toInternal(before.allocation), 'status.allocation')
  }
})
