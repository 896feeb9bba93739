/** Sets the defaults of fields that a client omitted, as kube-apiserver's defaulting functions do for each version of a kind. */
import type { JsonObject } from '../../go/json-value.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { applyDefaults } from '../../schema/defaults.ts'
import type { KindFacts } from '../kind.ts'
import { defaulters } from './defaulters.ts'

/** Defaults a decoded object in place: the hand-written rules of its group, then the static defaults of its type. */
export function applyKindDefaults(kind: KindFacts, object: KubernetesObject): void {
  const value = object as unknown as JsonObject
  defaulters.get(kind.group)?.run(kind.type, value)
  applyDefaults(kind.type, value)
}
