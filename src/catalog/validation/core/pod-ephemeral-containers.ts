/** Checks of changes of a Pod's ephemeral containers. Follows ValidatePodEphemeralContainersUpdate of k8s.io/kubernetes. */
import type { JsonValue } from '../../../go/json-value.ts'
import { jsonDifference } from '../../../go/unified-diff.ts'
import { type FieldError, forbiddenValue } from '../../../meta/field-error.ts'
import type { Container, Pod } from '../../generated/types/core.v1.ts'
import { internalJson } from '../../internal-json.ts'
import { Errors, isSame } from '../checks.ts'
import { mirrorAnnotation } from '../pod/annotations.ts'
import { checkPodSpec } from '../pod/pod-spec.ts'

const field = 'spec.ephemeralContainers'

const toInternal = (container: Container): JsonValue => internalJson('EphemeralContainer', container)

/** Checks that existing ephemeral containers are kept unchanged. New ones may be added. */
function checkKept(containers: readonly Container[], old: readonly Container[], errors: Errors): void {
  const byName = new Map(containers.map((container) => [container.name, container]))
  for (const before of old) {
    const now = byName.get(before.name)
    const existing = `existing ephemeral containers "${before.name}"`
    if (now === undefined) errors.forbidden(field, `${existing} may not be removed\n`)
    else if (!isSame(now, before)) {
      errors.push(forbiddenValue(field, `${existing} may not be changed\n${jsonDifference(toInternal(before), toInternal(now))}`))
    }
  }
}

/** Validates an update of a Pod's ephemeral containers. */
export function validateEphemeralContainersUpdate({ metadata: meta, spec }: Pod, { metadata, spec: old }: Pod): FieldError[] {
  if (metadata.annotations?.[mirrorAnnotation] !== undefined) {
    return [forbiddenValue('[]', 'static pods do not support ephemeral containers')]
  }
  const errors = new Errors()
  checkPodSpec(spec, meta, 'spec', errors)
  checkKept(spec.ephemeralContainers ?? [], old.ephemeralContainers ?? [], errors)
  return errors
}
