/** The strategies of the Pod subresources ephemeralcontainers, resize and status. */
import { setPodResources } from '../../../catalog/defaulting/pod.ts'
import { orderFields } from '../../../catalog/field-order.ts'
import type { Container, Pod, PodCondition } from '../../../catalog/generated/types/core.v1.ts'
import { validateEphemeralContainersUpdate } from '../../../catalog/validation/core/pod-ephemeral-containers.ts'
import { validateResize } from '../../../catalog/validation/core/pod-resize.ts'
import { validatePodStatus } from '../../../catalog/validation/core/pod-status.ts'
import type { JsonObject, JsonValue } from '../../../go/json-value.ts'
import type { KubernetesObject, ObjectMeta } from '../../../meta/object-meta.ts'
import type { StrategyContext, StrategyHooks, SubresourceHooks } from '../../hooks.ts'
import { dropDisabledStatusFields } from './pod-features.ts'
import { qualityOfService } from './pod-quality.ts'

const asPod = (object: KubernetesObject): Pod => object as Pod

/** Metadata that writes to a subresource leave unchanged. */
const keptMetadata = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const

function keepMetadata(meta: ObjectMeta, old: ObjectMeta): void {
  for (const field of keptMetadata) delete meta[field]
  const { labels, annotations, finalizers, ownerReferences } = old
  if (labels !== undefined) meta.labels = labels
  if (annotations !== undefined) meta.annotations = annotations
  if (finalizers !== undefined) meta.finalizers = finalizers
  if (ownerReferences !== undefined) meta.ownerReferences = ownerReferences
}

/** Increments the generation if the write changes the spec. */
function countGeneration(object: KubernetesObject, old: KubernetesObject, { kind }: StrategyContext): void {
  orderFields(kind.type, object as unknown as JsonValue)
  if (JSON.stringify(asPod(object).spec) === JSON.stringify(asPod(old).spec)) return
  object.metadata.generation = (old.metadata.generation ?? 0) + 1
}

const ephemeralContainers: SubresourceHooks = {
  prepareForUpdate(object, old, context) {
    const [pod, before] = [asPod(object), asPod(old)]
    const { ephemeralContainers: added } = pod.spec
    const { ephemeralContainers: _kept, ...spec } = before.spec
    pod.spec = { ...spec, ...(added !== undefined && { ephemeralContainers: added }) }
    pod.status = before.status
    keepMetadata(pod.metadata, before.metadata)
    countGeneration(object, old, context)
  },
  validateUpdate: (object, old) => validateEphemeralContainersUpdate(asPod(object), asPod(old)),
}

/** Returns the old containers with the new resources. If the names differ, returns the new ones, which validation rejects. */
function resized(now: readonly Container[], before: readonly Container[]): Container[] {
  if (now.some(({ name }, index) => before[index]?.name !== name)) return [...now]
  return before.map((container, index) => {
    const { resources = container.resources, resizePolicy } = now[index] ?? {}
    const { resizePolicy: _before, ...rest } = container
    return { ...rest, resources, ...(resizePolicy !== undefined && { resizePolicy }) }
  })
}

const resize: SubresourceHooks = {
  prepareForUpdate(object, old, context) {
    const [pod, before] = [asPod(object), asPod(old)]
    const { containers, initContainers = [], resources } = pod.spec
    const isSame =
      containers?.length === before.spec.containers?.length && initContainers.length === (before.spec.initContainers ?? []).length
    if (!isSame) return countGeneration(object, old, context)
    const { resources: _before, ...spec } = before.spec
    pod.spec = {
      ...spec,
      containers: resized(containers ?? [], before.spec.containers ?? []),
      ...(initContainers.length > 0 && { initContainers: resized(initContainers, before.spec.initContainers ?? []) }),
      ...(resources !== undefined && { resources }),
    }
    // A LimitRange may have set requests in the containers.
    if (resources !== undefined) setPodResources(pod as unknown as JsonObject)
    pod.status = before.status
    keepMetadata(pod.metadata, before.metadata)
    countGeneration(object, old, context)
  },
  validateUpdate(object, old) {
    const [pod, before] = [asPod(object), asPod(old)]
    const quality = { now: qualityOfService(pod.spec), before: before.status.qosClass ?? qualityOfService(before.spec) }
    return validateResize(pod, before, quality)
  },
}

interface Addressed {
  podIP?: string
  podIPs?: { ip: string }[]
}

/** Makes podIP equal to podIPs[0]. If they differ, podIP wins, because older kubelets write only podIP. */
function alignAddresses(status: Addressed): void {
  const { podIP = '', podIPs = [] } = status
  if (podIP !== '' && podIP !== podIPs[0]?.ip) status.podIPs = [{ ip: podIP }]
  const [first] = status.podIPs ?? []
  if (first !== undefined) status.podIP = first.ip
}

type Conditions = readonly (PodCondition & { observedGeneration?: number })[]

/** Restores observedGeneration of conditions for clients that do not know the field. */
function keepGenerations(conditions: Conditions, old: Conditions): void {
  const before = new Map<string, number[]>()
  for (const { type, observedGeneration = 0 } of old) before.set(type, [...(before.get(type) ?? []), observedGeneration])
  for (const condition of conditions) {
    const generation = before.get(condition.type)?.shift() ?? 0
    if ((condition.observedGeneration ?? 0) === 0 && generation !== 0) condition.observedGeneration = generation
  }
}

const status: SubresourceHooks = {
  normalize: (object) => alignAddresses(asPod(object).status as Addressed),
  prepareForUpdate(object, old) {
    const { status: now } = asPod(object)
    const { status: before } = asPod(old)
    if ((now.qosClass ?? '') === '' && before.qosClass !== undefined) now.qosClass = before.qosClass
    if (!now.observedGeneration && before.observedGeneration) now.observedGeneration = before.observedGeneration
    dropDisabledStatusFields(object, old)
    keepGenerations(now.conditions ?? [], before.conditions ?? [])
  },
  validateUpdate: (object, old) => validatePodStatus(asPod(object), asPod(old)),
}

/** The hooks of the subresources whose type is Pod. */
export const podSubresources: NonNullable<StrategyHooks['subresources']> = {
  ephemeralcontainers: ephemeralContainers,
  resize,
  status,
}
