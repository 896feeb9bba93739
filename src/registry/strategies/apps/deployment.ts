/** The strategy of Deployments: a change of annotations increments the generation. */
import { validateDeployment, validateDeploymentUpdate } from '../../../catalog/validation/apps/deployment.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { withValidation } from '../with-validation.ts'

export const deploymentHooks: StrategyHooks = {
  ...withValidation(validateDeployment, validateDeploymentUpdate),
  prepareForUpdate(object, old) {
    const { metadata } = object
    if (JSON.stringify(metadata.annotations) === JSON.stringify(old.metadata.annotations)) return
    metadata.generation = (old.metadata.generation ?? 0) + 1
  },
}
