/** Checks of CSIDrivers, CSINodes and CSIStorageCapacities. Follows k8s.io/kubernetes/pkg/apis/storage/validation. */
import { utf8Length } from '../../../go/text.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { validateLabelSelector } from '../../../meta/label-selector-object.ts'
import type { CSIDriver, CSINode, CSINodeDriver, CSIStorageCapacity, TokenRequest } from '../../generated/types/storage.v1.ts'
import { internalJson } from '../../internal-json.ts'
import { type Errors, isSame, itemsOf, validator } from '../checks.ts'
import { checkDriver } from '../pod/volumes.ts'

const longestNodeId = 256
const shortestToken = 600
const longestToken = 2 ** 32
const shortestPeriod = 10
const groupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType']
const lifecycleModes = ['Persistent', 'Ephemeral']

function checkTokenRequests(requests: readonly TokenRequest[], errors: Errors): void {
  const audiences = new Set<string>()
  for (const [field, { audience, expirationSeconds: seconds }] of itemsOf(requests, 'spec.tokenRequests')) {
    if (audiences.has(audience)) {
      errors.duplicate(`${field}.audience`, audience)
      continue
    }
    audiences.add(audience)
    if (seconds === undefined) continue
    const at = `${field}.expirationSeconds`
    if (seconds < shortestToken) errors.invalid(at, seconds, 'may not specify a duration less than 10 minutes')
    if (seconds > longestToken) errors.invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds')
  }
}

/** Validates a CSIDriver, except its metadata. Defaults have been applied. */
export const validateCsiDriver = validator((errors, { spec }: CSIDriver) => {
  const { fsGroupPolicy, tokenRequests = [], serviceAccountTokenInSecrets: inSecrets } = spec
  errors.checkEnum(fsGroupPolicy, groupPolicies, 'spec.fsGroupPolicy')
  checkTokenRequests(tokenRequests, errors)
  for (const mode of spec.volumeLifecycleModes ?? []) errors.checkEnum(mode, lifecycleModes, 'spec.volumeLifecycleModes')
  const { nodeAllocatableUpdatePeriodSeconds: period } = spec
  if (period !== undefined && period < shortestPeriod) {
    const text = `must be greater than or equal to ${shortestPeriod} seconds`
    errors.invalid('spec.nodeAllocatableUpdatePeriodSeconds', period, text)
  }
  if (inSecrets !== undefined && tokenRequests.length === 0) {
    const text = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified'
    errors.invalid('spec.serviceAccountTokenInSecrets', inSecrets, text)
  }
})

/** Validates an update of a CSIDriver. */
export function validateCsiDriverUpdate(driver: CSIDriver, old: CSIDriver): FieldError[] {
  const errors = validateCsiDriver(driver)
  errors.checkImmutable(driver.spec.attachRequired, old.spec.attachRequired, 'spec.attachedRequired')
  errors.checkImmutable(driver.spec.volumeLifecycleModes, old.spec.volumeLifecycleModes, 'spec.volumeLifecycleModes')
  return errors
}

function checkNodeDriver(driver: CSINodeDriver, field: string, errors: Errors): void {
  const { name, nodeID, allocatable } = driver
  checkDriver(name, `${field}.name`, errors)
  if (nodeID === '') errors.required(`${field}.nodeID`)
  if (utf8Length(nodeID) > longestNodeId) errors.invalid(`${field}.nodeID`, nodeID, `must be ${longestNodeId} characters or less`)
  errors.checkNonNegative(allocatable?.count, `${field}.allocatable.count`)
}

function checkTopologyKeys(keys: readonly string[], field: string, errors: Errors): void {
  const seen = new Set<string>()
  for (const key of keys) {
    if (key === '') errors.required(field)
    errors.checkUnique(seen, key, field)
    errors.checkQualifiedName(key, field)
  }
}

/** Validates a CSINode, except its metadata. */
export const validateCsiNode = validator((errors, { spec }: CSINode) => {
  const names = new Set<string>()
  for (const [field, driver] of itemsOf(spec.drivers, 'spec.drivers')) {
    checkNodeDriver(driver, field, errors)
    errors.checkUnique(names, driver.name, `${field}.name`)
    checkTopologyKeys(driver.topologyKeys ?? [], field, errors)
  }
})

/** Returns a driver without `allocatable`, its only mutable field. */
const immutablePart = ({ allocatable: _allocatable, ...driver }: CSINodeDriver): unknown =>
  internalJson('storage.CSINodeDriver', driver)

/** Validates an update of a CSINode: drivers that remain are immutable, except `allocatable`. */
export function validateCsiNodeUpdate(node: CSINode, old: CSINode): FieldError[] {
  const errors = validateCsiNode(node)
  for (const before of old.spec.drivers ?? []) {
    for (const driver of node.spec.drivers ?? []) {
      if (driver.name === before.name) errors.checkImmutable(immutablePart(driver), immutablePart(before), 'spec.drivers')
    }
  }
  return errors
}

/** Validates a CSIStorageCapacity, except its metadata. */
export const validateCsiStorageCapacity = validator((errors, object: CSIStorageCapacity, old?: CSIStorageCapacity) => {
  const { nodeTopology, storageClassName, capacity } = object
  const wasBad = validateLabelSelector(old?.nodeTopology, '').length > 0
  errors.push(...validateLabelSelector(nodeTopology, 'nodeTopology', wasBad ? 'unchecked' : 'checked'))
  errors.checkDnsSubdomain(storageClassName, 'storageClassName')
  if (capacity !== undefined) errors.checkNonNegativeQuantity(capacity, 'capacity')
})

/** Validates the differences between the old and the new CSIStorageCapacity: its class and node topology are immutable. */
export const validateCsiStorageCapacityChange = validator((errors, object: CSIStorageCapacity, old: CSIStorageCapacity) => {
  for (const name of ['nodeTopology', 'storageClassName'] as const) {
    if (!isSame(object[name], old[name])) errors.invalid(name, object[name], 'field is immutable')
  }
})
