/** The Pods of a node: mirror Pods, their status, and evictions. */
import type { Pod, PodStatus } from '../../../../catalog/generated/types/core.v1.ts'
import { isSame } from '../../../../catalog/validation/checks.ts'
import { goQuote } from '../../../../go/text.ts'
import { listedObject } from '../../stored-objects.ts'
import { apiObjectReference } from './pod-references.ts'
import { type AdmitNode, type NodeRequest, nameOf, refusal } from './request.ts'

const mirrorAnnotation = 'kubernetes.io/config.mirror'

/** Returns the requested Pod as it is stored. @throws ApiError 404, MissingLookups */
const storedPod = (request: NodeRequest): Pod =>
  listedObject(request.context.lookups, {
    resource: 'pods',
    namespace: request.attributes.namespace,
    name: nameOf(request),
  }) as Pod

/** Returns the reason to reject the owners of a mirror Pod; undefined if its owner is the Node alone. */
function ownerRefusal({ node, context }: NodeRequest, { metadata }: Pod): string | undefined {
  const quoted = goQuote(node)
  const [owner, ...others] = metadata.ownerReferences ?? []
  if (others.length > 0) return `node ${quoted} can only create pods with a single owner reference set to itself`
  if (owner === undefined || owner.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node) {
    return `node ${quoted} can only create pods with an owner reference set to itself`
  }
  if (owner.controller !== true) return `node ${quoted} can only create pods with a controller owner reference set to itself`
  if (owner.blockOwnerDeletion === true) return `node ${quoted} must not set blockOwnerDeletion on an owner reference`
  const { uid = '' } = listedObject(context.lookups, { resource: 'nodes', namespace: '', name: node }).metadata
  return owner.uid === uid ? undefined : `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`
}

/** Returns the reason to reject a new Pod; undefined if it is a mirror Pod of the node. */
function createRefusal(request: NodeRequest): string | undefined {
  const { node, object } = request
  const pod = object as Pod
  const quoted = goQuote(node)
  if (pod.metadata.annotations?.[mirrorAnnotation] === undefined) {
    return `pod does not have ${goQuote(mirrorAnnotation)} annotation, node ${quoted} can only create mirror pods`
  }
  if (pod.spec.nodeName !== node) return `node ${quoted} can only create pods with spec.nodeName set to itself`
  const owner = ownerRefusal(request, pod)
  if (owner !== undefined) return owner
  const reference = apiObjectReference(pod.spec)
  return reference === undefined ? undefined : `node ${quoted} can not create pods that reference ${reference}`
}

/** Admits mirror Pods of the node, and deletions of its Pods. */
export const admitPod: AdmitNode = (request) => {
  const { attributes, node } = request
  const { operation } = attributes
  if (operation === 'CREATE') {
    const why = createRefusal(request)
    if (why !== undefined) throw refusal(request, why)
  } else if (operation === 'DELETE') {
    const pod = attributes.name === '' ? storedPod(request) : ((request.old as Pod | undefined) ?? storedPod(request))
    if (pod.spec.nodeName === node) return
    throw refusal(request, `node ${goQuote(node)} can only delete pods with spec.nodeName set to itself`)
  } else {
    const why = `unexpected operation ${goQuote(operation)}, node ${goQuote(node)} can only create and delete mirror pods`
    throw refusal(request, why)
  }
}

const claimNames = ({ resourceClaimStatuses = [] }: PodStatus): unknown =>
  resourceClaimStatuses.map(({ name, resourceClaimName = null }) => [name, resourceClaimName])

/** Admits the status of the node's Pods, without changes of labels and claims. */
export const admitPodStatus: AdmitNode = (request) => {
  const { attributes, node, object, old } = request
  if (attributes.operation !== 'UPDATE') throw refusal(request, `unexpected operation ${goQuote(attributes.operation)}`)
  const [pod, before] = [object as Pod, old as Pod]
  const quoted = goQuote(node)
  if (before.spec.nodeName !== node) {
    throw refusal(request, `node ${quoted} can only update pod status for pods with spec.nodeName set to itself`)
  }
  if (!isSame(pod.metadata.labels ?? {}, before.metadata.labels ?? {})) {
    throw refusal(request, `node ${quoted} cannot update labels through pod status`)
  }
  const [status = {}, statusBefore = {}] = [pod.status, before.status]
  if (!isSame(claimNames(status), claimNames(statusBefore))) {
    throw refusal(request, `node ${quoted} cannot update resource claim statues`)
  }
  if (!isSame(status.extendedResourceClaimStatus ?? null, statusBefore.extendedResourceClaimStatus ?? null)) {
    throw refusal(request, `node ${quoted} cannot update extended resource claim status`)
  }
}

/** Admits evictions of the node's Pods. */
export const admitEviction: AdmitNode = (request) => {
  const { attributes, node } = request
  if (attributes.operation !== 'CREATE') throw refusal(request, `unexpected operation ${attributes.operation}`)
  if (nameOf(request) === '') throw refusal(request, 'could not determine pod from request data')
  if (storedPod(request).spec.nodeName === node) return
  throw refusal(request, `node ${node} can only evict pods with spec.nodeName set to itself`)
}
