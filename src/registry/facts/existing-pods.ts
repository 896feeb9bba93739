/** The Pods of a namespace that violate a Pod Security Standard; null if they cannot be read. */
import { kindOf } from '../../catalog/scheme.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import type { ExistingPods, PodsEvaluation } from '../../clusters/pod-security.ts'
import { logError } from '../../meta/log.ts'
import { defineFact } from './fact.ts'

type Parameters = PodsEvaluation & { readonly namespace: string }

/** Asks the collection of Pods to evaluate them. A failure does not reject the change of the namespace. */
async function evaluate(collections: CollectionClient, { namespace, ...evaluation }: Parameters): Promise<ExistingPods | null> {
  const kind = kindOf('', 'v1', 'pods')
  if (kind === undefined) return null
  const { group, version, resource } = kind
  const target = { group, version, resource, subresource: '', namespace, name: '' }
  try {
    const answer = await collections.perform(kind, { verb: 'evaluatePods', target, ...evaluation })
    return await answer.json<ExistingPods>()
  } catch (error) {
    logError(`the Pods of the namespace ${namespace} cannot be evaluated`, error)
    return null
  }
}

export const existingPods = defineFact<Parameters, ExistingPods | null>({ name: 'existingPods', absent: null, read: evaluate })
