/** The strategy of Nodes: spec.configSource and status.config are dropped, unless the old object had them. */
import type { Node } from '../../../catalog/generated/types/core.v1.ts'
import { validateNode, validateNodeChange } from '../../../catalog/validation/core/node.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { withSeparateValidation } from '../with-validation.ts'

export const nodeHooks: StrategyHooks = {
  ...withSeparateValidation(validateNode, validateNodeChange),
  prepareForCreate(object) {
    const node = object as Node
    delete node.spec.configSource
    delete node.status.config
  },
  prepareForUpdate(object, old) {
    if ((old as Node).spec.configSource === undefined) delete (object as Node).spec.configSource
  },
  subresources: {
    status: {
      prepareForUpdate(object, old) {
        if ((old as Node).status.config === undefined) delete (object as Node).status.config
      },
      validateUpdate: (object, old) => validateNodeChange(object as never, old as never),
    },
  },
}
