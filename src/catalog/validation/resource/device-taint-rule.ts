/** Checks of DeviceTaintRules. Follows k8s.io/kubernetes/pkg/apis/resource/validation. */
import type { DeviceTaintRule, DeviceTaintSelector } from '../../generated/types/resource.v1beta2.ts'
import { type Errors, validator } from '../checks.ts'
import { checkDriver } from '../pod/volumes.ts'
import { checkConditions } from '../status/conditions.ts'
import { checkTaint } from './device.ts'
import { checkPoolName } from './names.ts'

const mostConditions = 8

function checkSelector({ driver, pool, device }: DeviceTaintSelector, field: string, errors: Errors): void {
  if (driver !== undefined) checkDriver(driver, `${field}.driver`, errors)
  if (pool !== undefined) checkPoolName(pool, `${field}.pool`, errors)
  if (device !== undefined) errors.checkDnsLabel(device, `${field}.device`)
}

/** Validates a DeviceTaintRule, except its metadata. An effect that has not changed is not validated. */
export const validateDeviceTaintRule = validator((errors, { spec }: DeviceTaintRule, old?: DeviceTaintRule) => {
  if (spec.deviceSelector !== undefined) checkSelector(spec.deviceSelector, 'spec.deviceSelector', errors)
  const isKept = old?.spec.taint.effect === spec.taint.effect
  checkTaint(isKept ? { ...spec.taint, effect: 'NoExecute' } : spec.taint, 'spec.taint', errors)
})

/** Validates an update of the status. */
export const validateDeviceTaintRuleStatus = validator((errors, { status }: DeviceTaintRule) => {
  const { conditions = [] } = status
  checkConditions(conditions, 'status.conditions', errors)
  if (conditions.length > mostConditions) errors.tooMany('status.conditions', conditions.length, mostConditions)
})
