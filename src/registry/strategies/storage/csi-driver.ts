/** CSIDrivers: a new one has no generation, a change of its spec gives it one. */
import { equalValues } from '../../../apply/value.ts'
import { validateCsiDriver, validateCsiDriverUpdate } from '../../../catalog/validation/storage/drivers.ts'
import type { JsonValue } from '../../../meta/json-value.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { checked } from '../checked.ts'

const specOf = ({ spec }: KubernetesObject): JsonValue => (spec ?? null) as JsonValue

export const csiDriverHooks: StrategyHooks = {
  ...checked(validateCsiDriver, validateCsiDriverUpdate),
  prepareForUpdate(object, old) {
    if (!equalValues(specOf(object), specOf(old))) object.metadata.generation = (old.metadata.generation ?? 0) + 1
  },
}
