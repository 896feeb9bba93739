/**
 * The strategy of CSIDrivers: create sets no generation, a change of the spec increments it. Fields of disabled features are
 * dropped.
 */
import { equalValues } from '../../../apply/value.ts'
import type { CSIDriver } from '../../../catalog/generated/types/storage.v1.ts'
import { validateCsiDriver, validateCsiDriverUpdate } from '../../../catalog/validation/storage/drivers.ts'
import type { JsonValue } from '../../../go/json-value.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { withValidation } from '../with-validation.ts'

const specOf = ({ spec }: KubernetesObject): JsonValue => (spec ?? null) as JsonValue

/**
 * Drops the fields of disabled features, unless the old object had them.
 * @param old absent for a create
 */
function dropDisabled({ spec }: CSIDriver, old?: CSIDriver): void {
  if (old?.spec.preventPodSchedulingIfMissing === undefined) delete spec.preventPodSchedulingIfMissing
}

export const csiDriverHooks: StrategyHooks = {
  ...withValidation(validateCsiDriver, validateCsiDriverUpdate),
  prepareForCreate: (object) => dropDisabled(object as CSIDriver),
  prepareForUpdate(object, old) {
    dropDisabled(object as CSIDriver, old as CSIDriver)
    if (!equalValues(specOf(object), specOf(old))) object.metadata.generation = (old.metadata.generation ?? 0) + 1
  },
}
