/** The fact about the existing Pods of a namespace that violate a Pod Security Standard. */
import { kindOf } from '../../catalog/scheme.ts'
import type { ExistingPods } from '../../clusters/pod-security.ts'
import { logError } from '../../meta/log.ts'
import type { ReadFact } from './fact.ts'

/** Asks the collection of Pods to evaluate them. A failure does not reject the change of the namespace. */
export const existingPods: ReadFact<'existingPods'> = async (collections, { namespace, ...evaluation }) => {
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
