import { validateLabels } from '../../../meta/object-meta-validation.ts'
import type { Toleration } from '../../generated/types/core.v1.ts'
import type { RuntimeClass } from '../../generated/types/node.v1.ts'
import { internalJson } from '../../internal-json.ts'
import { type Errors, validator } from '../checks.ts'
import { checkOverhead } from '../pod/resources.ts'
import { checkTolerations } from '../pod/scheduling.ts'

/** Checks that tolerations are unique regardless of tolerationSeconds. */
function checkOnce(tolerations: readonly Toleration[], field: string, errors: Errors): void {
  const seen = new Set<string>()
  for (const [index, toleration] of tolerations.entries()) {
    const { key = '', operator = '', value = '', effect = '' } = toleration
    const text = JSON.stringify([key, operator, value, effect])
    errors.checkUnique(seen, text, `${field}[${index}]`, internalJson('Toleration', toleration))
  }
}

/** Validates a RuntimeClass, except its metadata. */
export const validateRuntimeClass = validator((errors, { handler, overhead, scheduling }: RuntimeClass) => {
  if (handler === '') errors.required('handler')
  else errors.checkDnsLabel(handler, 'handler')
  if (overhead !== undefined) checkOverhead(overhead.podFixed ?? {}, 'overhead', errors)
  if (scheduling === undefined) return
  const { nodeSelector = {}, tolerations = [] } = scheduling
  errors.push(...validateLabels(nodeSelector, 'scheduling.nodeSelector'))
  checkTolerations(tolerations, 'scheduling.tolerations', errors)
  checkOnce(tolerations, 'scheduling.tolerations', errors)
})

/** Validates the differences between the old and the new RuntimeClass. */
export const validateRuntimeClassChange = validator((errors, runtimeClass: RuntimeClass, old: RuntimeClass) => {
  errors.checkImmutable(runtimeClass.handler, old.handler, 'handler')
})
