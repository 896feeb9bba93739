/** Checks of CSIDrivers, CSINodes and CSIStorageCapacities. Follows k8s.io/kubernetes/pkg/apis/storage/validation. */

import { utf8Length } from '../../../go/text.ts'
import { duplicate, enumValue, type FieldError, invalidValue, notSupported, required } from '../../../meta/field-error.ts'
import { type LabelSelectorObject, validateLabelSelector } from '../../../meta/label-selector-object.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { internalJson } from '../../shapes/internal-json.ts'
import {
  checkDnsSubdomain,
  checkImmutable,
  checkNonNegative,
  checkNonNegativeQuantity,
  checkQualifiedName,
  type Errors,
  isSame,
} from '../checks.ts'
import { checkDriver } from '../pod/volumes.ts'

interface TokenRequest {
  audience: string
  expirationSeconds?: number
}

interface CSIDriver extends KubernetesObject {
  spec: {
    attachRequired?: boolean
    fsGroupPolicy?: string
    tokenRequests?: TokenRequest[]
    volumeLifecycleModes?: string[]
    nodeAllocatableUpdatePeriodSeconds?: number
    serviceAccountTokenInSecrets?: boolean
  }
}

interface NodeDriver {
  name: string
  nodeID: string
  topologyKeys: string[] | null
  allocatable?: { count?: number }
}

interface CSINode extends KubernetesObject {
  spec: { drivers: NodeDriver[] | null }
}

interface CSIStorageCapacity extends KubernetesObject {
  nodeTopology?: LabelSelectorObject
  storageClassName: string
  capacity?: string
}

const longestNodeId = 256
const shortestToken = 600
const longestToken = 2 ** 32
const shortestPeriod = 10
const groupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType']
const lifecycleModes = ['Persistent', 'Ephemeral']

function checkTokenRequests(requests: readonly TokenRequest[], errors: Errors): void {
  const audiences = new Set<string>()
  for (const [index, { audience, expirationSeconds: seconds }] of requests.entries()) {
    const field = `spec.tokenRequests[${index}]`
    if (audiences.has(audience)) {
      errors.push(duplicate(`${field}.audience`, audience))
      continue
    }
    audiences.add(audience)
    if (seconds === undefined) continue
    const at = `${field}.expirationSeconds`
    if (seconds < shortestToken) errors.push(invalidValue(at, seconds, 'may not specify a duration less than 10 minutes'))
    if (seconds > longestToken) errors.push(invalidValue(at, seconds, 'may not specify a duration larger than 2^32 seconds'))
  }
}

/** What is wrong with a CSIDriver, its metadata left out. What is defaulted is there. */
export function validateCsiDriver({ spec }: CSIDriver): FieldError[] {
  const errors: Errors = []
  const { fsGroupPolicy, tokenRequests = [], serviceAccountTokenInSecrets: inSecrets } = spec
  if (fsGroupPolicy !== undefined && !groupPolicies.includes(fsGroupPolicy)) {
    errors.push(notSupported('spec.fsGroupPolicy', enumValue(fsGroupPolicy), groupPolicies))
  }
  checkTokenRequests(tokenRequests, errors)
  for (const mode of spec.volumeLifecycleModes ?? []) {
    if (!lifecycleModes.includes(mode)) errors.push(notSupported('spec.volumeLifecycleModes', enumValue(mode), lifecycleModes))
  }
  const { nodeAllocatableUpdatePeriodSeconds: period } = spec
  if (period !== undefined && period < shortestPeriod) {
    const text = `must be greater than or equal to ${shortestPeriod} seconds`
    errors.push(invalidValue('spec.nodeAllocatableUpdatePeriodSeconds', period, text))
  }
  if (inSecrets !== undefined && tokenRequests.length === 0) {
    const text = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified'
    errors.push(invalidValue('spec.serviceAccountTokenInSecrets', inSecrets, text))
  }
  return errors
}

/** What is wrong with a change of a CSIDriver. */
export function validateCsiDriverUpdate(driver: CSIDriver, old: CSIDriver): FieldError[] {
  const errors = validateCsiDriver(driver)
  checkImmutable(driver.spec.attachRequired, old.spec.attachRequired, 'spec.attachedRequired', errors)
  checkImmutable(driver.spec.volumeLifecycleModes, old.spec.volumeLifecycleModes, 'spec.volumeLifecycleModes', errors)
  return errors
}

function checkNodeDriver(driver: NodeDriver, field: string, errors: Errors): void {
  const { name, nodeID, allocatable } = driver
  checkDriver(name, `${field}.name`, errors)
  if (nodeID === '') errors.push(required(`${field}.nodeID`))
  if (utf8Length(nodeID) > longestNodeId) {
    errors.push(invalidValue(`${field}.nodeID`, nodeID, `must be ${longestNodeId} characters or less`))
  }
  checkNonNegative(allocatable?.count, `${field}.allocatable.count`, errors)
}

function checkTopologyKeys(keys: readonly string[], field: string, errors: Errors): void {
  const seen = new Set<string>()
  for (const key of keys) {
    if (key === '') errors.push(required(field))
    if (seen.has(key)) errors.push(duplicate(field, key))
    seen.add(key)
    checkQualifiedName(key, field, errors)
  }
}

/** What is wrong with a CSINode, its metadata left out. */
export function validateCsiNode({ spec }: CSINode): FieldError[] {
  const errors: Errors = []
  const names = new Set<string>()
  for (const [index, driver] of (spec.drivers ?? []).entries()) {
    const field = `spec.drivers[${index}]`
    checkNodeDriver(driver, field, errors)
    if (names.has(driver.name)) errors.push(duplicate(`${field}.name`, driver.name))
    names.add(driver.name)
    checkTopologyKeys(driver.topologyKeys ?? [], field, errors)
  }
  return errors
}

/** A driver but for how many volumes it takes, which may change. */
const lasting = ({ allocatable: _allocatable, ...driver }: NodeDriver): unknown => internalJson('storage.CSINodeDriver', driver)

/** What is wrong with a change of a CSINode: drivers that stay say what they said. */
export function validateCsiNodeUpdate(node: CSINode, old: CSINode): FieldError[] {
  const errors = validateCsiNode(node)
  for (const before of old.spec.drivers ?? []) {
    for (const driver of node.spec.drivers ?? []) {
      if (driver.name === before.name) checkImmutable(lasting(driver), lasting(before), 'spec.drivers', errors)
    }
  }
  return errors
}

/** What is wrong with a CSIStorageCapacity, its metadata left out. */
export function validateCsiStorageCapacity(object: CSIStorageCapacity, old?: CSIStorageCapacity): FieldError[] {
  const errors: Errors = []
  const { nodeTopology, storageClassName, capacity } = object
  const wasBad = validateLabelSelector(old?.nodeTopology, '').length > 0
  errors.push(...validateLabelSelector(nodeTopology, 'nodeTopology', wasBad ? 'unchecked' : 'checked'))
  checkDnsSubdomain(storageClassName, 'storageClassName', errors)
  if (capacity !== undefined) checkNonNegativeQuantity(capacity, 'capacity', errors)
  return errors
}

/** What is wrong with how a CSIStorageCapacity has changed: it is of the same class and nodes. */
export function validateCsiStorageCapacityChange(object: CSIStorageCapacity, old: CSIStorageCapacity): FieldError[] {
  const errors: Errors = []
  for (const name of ['nodeTopology', 'storageClassName'] as const) {
    if (!isSame(object[name], old[name])) errors.push(invalidValue(name, object[name], 'field is immutable'))
  }
  return errors
}
