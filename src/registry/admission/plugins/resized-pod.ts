/** A resize of a Pod on a node, which two plugins validate. */
import type { Pod } from '../../../catalog/generated/types/core.v1.ts'
import { goQuote } from '../../../go/text.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { node as nodeFact, type PodNode } from '../../facts/node.ts'
import { type AdmissionAttributes, type AdmissionHandler, admissionForbidden, type ValidatingContext } from '../plugin.ts'

/** A resize that changes the spec of a Pod with a node. */
export interface Resize {
  readonly attributes: AdmissionAttributes
  readonly pod: Pod
  readonly old: Pod
  readonly context: ValidatingContext
}

/** Makes the handler of resizes. Others, of Pods without a node or without a change, are allowed. */
export function resizeHandler(validate: (resize: Resize) => void): AdmissionHandler {
  return {
    operations: ['UPDATE'],
    resources: ['pods/resize'],
    validate(attributes, object, before, context) {
      const [pod, old] = [object as Pod, (before ?? object) as Pod]
      if ((pod.spec.nodeName ?? '') === '' || pod.metadata.generation === old.metadata.generation) return
      validate({ attributes, pod, old, context })
    },
  }
}

/**
 * Returns the node of the Pod.
 * @throws ApiError 403 if it does not exist, MissingLookups
 */
export function nodeOf({ attributes, pod, context }: Resize): PodNode {
  const { nodeName = '' } = pod.spec
  const node = context.lookups.get(nodeFact.lookup({ name: nodeName }))
  if (node !== null) return node
  throw admissionForbidden(attributes, pod as KubernetesObject, `node ${goQuote(nodeName)} not found`)
}
