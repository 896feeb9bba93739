/** Evaluates the Pods of a namespace within their Durable Object, against the Pod Security Standard that it is to enforce. */
import type { Pod } from '../catalog/generated/types/core.v1.ts'
import type { Kind } from '../catalog/kind.ts'
import type { ExistingPods, PodsEvaluation } from '../clusters/pod-security.ts'
import { nextSlice } from '../meta/slices.ts'
import { ExistingPodsEvaluation } from './admission/pod-security/existing-pods.ts'
import type { Registry } from './registry.ts'
import { objectOf, prefixOf } from './stored-object.ts'

/** The number of Pods that are evaluated in a few milliseconds. */
const pageRows = 100
/** The time after which further Pods are only counted, in milliseconds. */
const timeout = 1000

/**
 * Evaluates the Pods of a namespace, for at most a second.
 * @returns their violations
 */
export async function evaluateExistingPods(
  { store, now }: Registry,
  kind: Kind,
  namespace: string,
  request: PodsEvaluation,
): Promise<ExistingPods> {
  const prefix = prefixOf(kind, namespace)
  const evaluation = new ExistingPodsEvaluation(request)
  const { resourceVersion } = store
  const end = now() + timeout
  for (let after = ''; ; ) {
    const { items, more } = store.list({ prefix, after, limit: pageRows, resourceVersion })
    for (const stored of items) evaluation.add(objectOf(stored) as Pod)
    if (!more) return evaluation.result
    after = items.at(-1)?.key ?? after
    if (evaluation.isComplete || now() >= end) {
      evaluation.skip(store.countAfter(prefix, after, resourceVersion))
      return evaluation.result
    }
    await nextSlice()
  }
}
