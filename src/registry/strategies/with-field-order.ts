/** Restores the order in which Go encodes fields: hooks that add a field append it at the end of the object. */

import { orderFields } from '../../catalog/field-order.ts'
import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import type { JsonValue } from '../../go/json-value.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { StrategyHooks, SubresourceHooks } from '../hooks.ts'

function order(kind: Kind, object: KubernetesObject): void {
  const { group, version, resource } = kind.storage
  const stored = kind.conversion === undefined ? kind : kindOf(group, version, resource)
  orderFields((stored ?? kind).type, object as unknown as JsonValue)
}

function withSubresourceFieldOrder(hooks: SubresourceHooks): SubresourceHooks {
  const { prepareForUpdate } = hooks
  if (prepareForUpdate === undefined) return hooks
  return {
    ...hooks,
    prepareForUpdate(object, old, context) {
      prepareForUpdate(object, old, context)
      order(context.kind, object)
    },
  }
}

/** Wraps hooks so that the object's fields are in the order of its type afterwards. */
export function withFieldOrder(hooks: StrategyHooks): StrategyHooks {
  const { prepareForCreate, prepareForUpdate, subresources } = hooks
  return {
    ...hooks,
    ...(subresources !== undefined && {
      subresources: Object.fromEntries(
        Object.entries(subresources).map(([name, subresourceHooks]) => [name, withSubresourceFieldOrder(subresourceHooks)]),
      ),
    }),
    ...(prepareForCreate !== undefined && {
      prepareForCreate(object, context) {
        prepareForCreate(object, context)
        order(context.kind, object)
      },
    }),
    ...(prepareForUpdate !== undefined && {
      prepareForUpdate(object, old, context) {
        prepareForUpdate(object, old, context)
        order(context.kind, object)
      },
    }),
  }
}
