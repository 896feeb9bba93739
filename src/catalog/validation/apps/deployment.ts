/** Checks of Deployments. Follows ValidateDeploymentSpec of k8s.io/kubernetes/pkg/apis/apps/validation. */
import type { FieldError } from '../../../meta/field-error.ts'
import { rollbackTo } from '../../defaulting/deprecated-annotations.ts'
import { type Deployment, type DeploymentStrategy, DeploymentStrategyType } from '../../generated/types/apps.v1.ts'
import type { Kind } from '../../kind.ts'
import { type Errors, validator } from '../checks.ts'
import {
  amountOf,
  checkAtMostWhole,
  checkIntOrPercent,
  checkReplicatedTemplate,
  checkSelector,
  internalStrategy,
  quoted,
} from './template.ts'

function checkRolling({ maxUnavailable, maxSurge }: NonNullable<DeploymentStrategy['rollingUpdate']>, errors: Errors): void {
  const field = 'spec.strategy.rollingUpdate'
  checkIntOrPercent(maxUnavailable, `${field}.maxUnavailable`, errors)
  checkIntOrPercent(maxSurge, `${field}.maxSurge`, errors)
  if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0) {
    errors.invalid(`${field}.maxUnavailable`, quoted(maxUnavailable), 'may not be 0 when `maxSurge` is 0')
  }
  checkAtMostWhole(maxUnavailable, `${field}.maxUnavailable`, errors)
}

function checkStrategy(strategy: DeploymentStrategy, errors: Errors): void {
  const { type, rollingUpdate } = strategy
  if (type === 'RollingUpdate') {
    if (rollingUpdate === undefined) errors.required('spec.strategy.rollingUpdate', 'this should be defaulted and never be nil')
    else checkRolling(rollingUpdate, errors)
  } else if (type === 'Recreate') {
    if (rollingUpdate === undefined) return
    errors.forbidden('spec.strategy.rollingUpdate', "may not be specified when strategy `type` is 'Recreate'")
  } else errors.notSupported('spec.strategy', internalStrategy(strategy), DeploymentStrategyType)
}

/** Validates a Deployment, except its metadata. */
export const validateDeployment = validator((errors, { metadata, spec }: Deployment) => {
  errors.checkNonNegative(spec.replicas, 'spec.replicas')
  checkSelector(spec.selector, 'deployment', errors)
  checkReplicatedTemplate(spec.selector, spec.template, errors)
  checkStrategy(spec.strategy, errors)
  errors.checkNonNegative(spec.minReadySeconds, 'spec.minReadySeconds')
  errors.checkNonNegative(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit')
  errors.checkNonNegative(Number(metadata.annotations?.[rollbackTo] ?? 0), 'spec.rollback.version')
  const { progressDeadlineSeconds: deadline } = spec
  errors.checkNonNegative(deadline, 'spec.progressDeadlineSeconds')
  if (deadline !== undefined && deadline <= (spec.minReadySeconds ?? 0)) {
    errors.invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')
  }
})

/** Validates an update of a Deployment. The first versions allow a change of the selector. */
export function validateDeploymentUpdate(deployment: Deployment, old: Deployment, kind: Kind): FieldError[] {
  const errors = validateDeployment(deployment)
  if (kind.version !== 'v1beta1') errors.checkImmutable(deployment.spec.selector, old.spec.selector, 'spec.selector')
  return errors
}
