/** The strategy of StatefulSets: maxUnavailable is dropped, because the feature gate MaxUnavailableStatefulSet is off. */
import type { StatefulSet } from '../../../catalog/generated/types/apps.v1.ts'
import { validateStatefulSet, validateStatefulSetUpdate } from '../../../catalog/validation/apps/stateful-set.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { withValidation } from '../with-validation.ts'

function dropDisabledFields(object: KubernetesObject): void {
  delete (object as StatefulSet).spec.updateStrategy.rollingUpdate?.maxUnavailable
}

export const statefulSetHooks: StrategyHooks = {
  ...withValidation((set) => validateStatefulSet(set), validateStatefulSetUpdate),
  prepareForCreate: dropDisabledFields,
  prepareForUpdate: dropDisabledFields,
}
