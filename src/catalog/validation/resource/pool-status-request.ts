/** Checks of ResourcePoolStatusRequests. Follows k8s.io/kubernetes/pkg/apis/resource/validation and its declarative part. */
import { utf8Length } from '../../../go/text.ts'
import { isDns1123Subdomain } from '../../../meta/names.ts'
import type {
  PoolStatus,
  ResourcePoolStatusRequest,
  ResourcePoolStatusRequestStatus,
} from '../../generated/types/resource.v1alpha3.ts'
import { type Errors, immutable, isSame, itemsOf, validator } from '../checks.ts'
import {
  checkMaximum,
  checkMinimum,
  checkOptionalText,
  checkRequiredText,
  checkResourcePoolName,
  checkUnchanged,
  checkUniqueKeys,
  isSubdomainOfAnyCase,
} from '../declarative.ts'
import { checkConditions } from '../status/conditions.ts'

const greatestLimit = 1000
const mostPools = 1000
const mostConditions = 10
const longestError = 256

/** Validates a ResourcePoolStatusRequest, except its metadata. */
export const validateResourcePoolStatusRequest = validator(
  (errors, { spec }: ResourcePoolStatusRequest, old?: ResourcePoolStatusRequest) => {
    if (old !== undefined) {
      checkUnchanged(spec, old.spec, 'spec', errors)
      return
    }
    const { driver, poolName, limit } = spec
    checkRequiredText(driver, 'spec.driver', isSubdomainOfAnyCase, errors)
    if (poolName !== undefined) checkResourcePoolName(poolName, 'spec.poolName', errors)
    checkMaximum(limit, greatestLimit, 'spec.limit', errors)
    checkMinimum(limit, 1, 'spec.limit', errors)
  },
)

function checkPool(pool: PoolStatus, field: string, errors: Errors): void {
  const { driver, poolName = '', generation, nodeName, validationError } = pool
  checkRequiredText(driver, `${field}.driver`, isSubdomainOfAnyCase, errors)
  if (poolName === '') errors.required(`${field}.poolName`)
  else checkResourcePoolName(poolName, `${field}.poolName`, errors)
  if (generation === 0) errors.required(`${field}.generation`)
  else checkMinimum(generation, 0, `${field}.generation`, errors)
  checkMinimum(pool.resourceSliceCount, 1, `${field}.resourceSliceCount`, errors)
  for (const name of ['totalDevices', 'allocatedDevices', 'availableDevices', 'unavailableDevices'] as const) {
    checkMinimum(pool[name], 0, `${field}.${name}`, errors)
  }
  checkOptionalText(nodeName, `${field}.nodeName`, isDns1123Subdomain, errors)
  if (utf8Length(validationError ?? '') > longestError) errors.tooLong(`${field}.validationError`, longestError)
}

/** Checks by the rules of the type, which come after those written by hand. */
function checkDeclared({ poolCount, pools = [], conditions = [] }: ResourcePoolStatusRequestStatus, errors: Errors): void {
  if (poolCount === undefined) errors.required('status.poolCount')
  checkMinimum(poolCount, 0, 'status.poolCount', errors)
  if (pools.length > mostPools) errors.tooMany('status.pools', pools.length, mostPools)
  else for (const [field, pool] of itemsOf(pools, 'status.pools')) checkPool(pool, field, errors)
  if (conditions.length > mostConditions) errors.tooMany('status.conditions', conditions.length, mostConditions)
  else checkUniqueKeys(conditions, ({ type }) => type, 'status.conditions', errors)
}

/** Returns a status as messages show it: with the names of Go's fields. */
const internalStatus = (status: ResourcePoolStatusRequestStatus | undefined): object | null =>
  status === undefined
    ? null
    : { PoolCount: status.poolCount ?? null, Pools: status.pools ?? null, Conditions: status.conditions ?? null }

/** Validates an update of the status. A complete status does not change any more. */
export const validateResourcePoolStatus = validator(
  (errors, { status }: ResourcePoolStatusRequest, old: ResourcePoolStatusRequest) => {
    if (old.status === undefined) {
      if (status !== undefined) checkConditions(status.conditions ?? [], 'status.conditions', errors)
    } else if (!isSame(status, old.status)) errors.invalid('status', internalStatus(status), immutable)
    if (status !== undefined && !isSame(status, old.status)) checkDeclared(status, errors)
  },
)
