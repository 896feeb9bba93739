import { asJson } from '../../../meta/field-error.ts'
import { type Container, RestartPolicy } from '../../generated/types/core.v1.ts'
import type { Errors } from '../checks.ts'

const actions = ['Restart', 'RestartAllContainers']
const operators = ['In', 'NotIn']
const resizePolicies = ['NotRequired', 'RestartContainer']
const mostRules = 20
const mostExitCodes = 255

type RestartRule = NonNullable<Container['restartPolicyRules']>[number]

function checkRule({ action, exitCodes }: RestartRule, field: string, errors: Errors): void {
  errors.checkSupported(action ?? '', actions, `${field}.action`)
  if (exitCodes === undefined) {
    errors.required(`${field}.exitCodes`, 'must be specified')
    return
  }
  errors.checkSupported(exitCodes.operator ?? '', operators, `${field}.exitCodes.operator`)
  const count = (exitCodes.values ?? []).length
  if (count > mostExitCodes) errors.tooMany(`${field}.exitCodes.values`, count, mostExitCodes)
}

/** Validates a container's own restartPolicy and its rules. The rules of an init container are not validated without a policy. */
export function checkRestarts(container: Container, role: 'container' | 'init container', field: string, errors: Errors): void {
  const { restartPolicy, restartPolicyRules = [] } = container
  if (restartPolicy === undefined) {
    if (restartPolicyRules.length === 0) return
    errors.required(`${field}.restartPolicy`, 'must specify restartPolicy when restart rules are used')
    if (role === 'init container') return
  } else errors.checkSupported(restartPolicy, RestartPolicy, `${field}.restartPolicy`)
  const at = `${field}.restartPolicyRules`
  if (restartPolicyRules.length > mostRules) errors.tooMany(at, restartPolicyRules.length, mostRules)
  for (const [index, rule] of restartPolicyRules.entries()) checkRule(rule, `${at}[${index}]`, errors)
}

/** Validates resizePolicy. The messages contain no index. */
export function checkResizePolicy(
  container: Container,
  podRestartPolicy: string | undefined,
  field: string,
  errors: Errors,
): void {
  const seen = new Set<string>()
  for (const [index, { resourceName, restartPolicy }] of (container.resizePolicy ?? []).entries()) {
    errors.checkUnique(seen, resourceName, `${field}[${index}]`, asJson(resourceName))
    errors.checkRequiredSupported(resourceName, ['cpu', 'memory'], field)
    errors.checkRequiredSupported(restartPolicy, resizePolicies, field)
    if (podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired') {
      errors.invalid(field, asJson(restartPolicy), "must be 'NotRequired' when pod `restartPolicy` is 'Never'")
    }
  }
}
