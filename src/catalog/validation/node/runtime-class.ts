/** Checks of RuntimeClasses. Follows ValidateRuntimeClass of k8s.io/kubernetes/pkg/apis/node/validation. */
import { duplicate, type FieldError, required } from '../../../meta/field-error.ts'
import { validateLabels } from '../../../meta/object-meta-validation.ts'
import type { Toleration } from '../../generated/types/core.v1.ts'
import type { RuntimeClass } from '../../generated/types/node.v1.ts'
import { internalJson } from '../../internal-json.ts'
import { checkDnsLabel, checkImmutable, type Errors } from '../checks.ts'
import { checkOverhead } from '../pod/resources.ts'
import { checkTolerations } from '../pod/scheduling.ts'

/** Each toleration is there once, however long it tolerates. */
function checkOnce(tolerations: readonly Toleration[], field: string, errors: Errors): void {
  const seen = new Set<string>()
  for (const [index, toleration] of tolerations.entries()) {
    const { key = '', operator = '', value = '', effect = '' } = toleration
    const text = JSON.stringify([key, operator, value, effect])
    if (seen.has(text)) errors.push(duplicate(`${field}[${index}]`, internalJson('Toleration', toleration)))
    seen.add(text)
  }
}

/** What is wrong with a RuntimeClass, its metadata left out. */
export function validateRuntimeClass({ handler, overhead, scheduling }: RuntimeClass): FieldError[] {
  const errors: Errors = []
  if (handler === '') errors.push(required('handler'))
  else checkDnsLabel(handler, 'handler', errors)
  if (overhead !== undefined) checkOverhead(overhead.podFixed ?? {}, 'overhead', errors)
  if (scheduling === undefined) return errors
  const { nodeSelector = {}, tolerations = [] } = scheduling
  errors.push(...validateLabels(nodeSelector, 'scheduling.nodeSelector'))
  checkTolerations(tolerations, 'scheduling.tolerations', errors)
  checkOnce(tolerations, 'scheduling.tolerations', errors)
  return errors
}

/** What is wrong with how a RuntimeClass has changed. */
export function validateRuntimeClassChange(runtimeClass: RuntimeClass, old: RuntimeClass): FieldError[] {
  const errors: Errors = []
  checkImmutable(runtimeClass.handler, old.handler, 'handler', errors)
  return errors
}
