/** The strategy of Deployments: a change of annotations increments the generation. */

import { annotationOf, setAnnotation } from '../../../catalog/conversion/fields.ts'
import { rollbackTo } from '../../../catalog/defaulting/deprecated-annotations.ts'
import { validateDeployment, validateDeploymentUpdate } from '../../../catalog/validation/apps/deployment.ts'
import type { JsonObject } from '../../../go/json-value.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { withValidation } from '../with-validation.ts'

/** Keeps the annotation that is a field of the spec in kube-apiserver. */
const keepRollback = (object: KubernetesObject, old: KubernetesObject): void =>
  setAnnotation(object as unknown as JsonObject, rollbackTo, annotationOf(old as unknown as JsonObject, rollbackTo))

export const deploymentHooks: StrategyHooks = {
  ...withValidation(validateDeployment, validateDeploymentUpdate),
  prepareForUpdate(object, old) {
    const { metadata } = object
    if (JSON.stringify(metadata.annotations) === JSON.stringify(old.metadata.annotations)) return
    metadata.generation = (old.metadata.generation ?? 0) + 1
  },
  subresources: { status: { prepareForUpdate: keepRollback } },
}
