/**
 * Checks of the subresource `resize`, which changes the resources of a Pod's containers. Follows ValidatePodResize of
 * k8s.io/kubernetes and KEP-1287.
 */
import { type FieldError, forbiddenValue } from '../../../meta/field-error.ts'
import type { Container, ContainerStatus, Pod, ResourceList, ResourceRequirements } from '../../generated/types/core.v1.ts'
import { Errors, isSame } from '../checks.ts'
import { mirrorAnnotation } from '../pod/annotations.ts'
import { checkPodSpec } from '../pod/pod-spec.ts'

/** One list of containers before and after the update. */
interface Containers {
  readonly field: string
  readonly now: readonly Container[]
  readonly before: readonly Container[]
}

const sides = (pod: Pod, old: Pod): readonly [regular: Containers, init: Containers] => [
  { field: 'containers', now: pod.spec.containers ?? [], before: old.spec.containers ?? [] },
  { field: 'initContainers', now: pod.spec.initContainers ?? [], before: old.spec.initContainers ?? [] },
]

/** Whether the node supports resize: a newer kubelet reports the resources of running containers. */
function isSupported({ status }: Pod): boolean {
  const statuses = (status.containerStatuses ?? []) as readonly ContainerStatus[]
  const running = statuses.find(({ state }) => state?.running !== undefined)
  return running === undefined || running.resources !== undefined
}

/** Returns whether both lists name the same containers in the same order, and reports the differences. */
function checkOrder({ field, now, before }: Containers, errors: Errors): boolean {
  const known = errors.length
  if (now.length !== before.length) {
    errors.forbidden(`spec.${field}`, `${field} may not be added or removed on resize`)
  } else {
    for (const [index, { name }] of before.entries()) {
      if (now[index]?.name === name) continue
      errors.forbidden(`spec.${field}[${index}].name`, `${field} may not be renamed or reordered on resize`)
    }
  }
  return errors.length === known
}

const isRemoved = (now: ResourceList = {}, before: ResourceList = {}): boolean =>
  Object.keys(before).some((name) => now[name] === undefined)

function checkRemovals({ field, now, before }: Containers, errors: Errors): void {
  for (const [index, { resources: old }] of before.entries()) {
    const at = `spec.${field}[${index}].resources`
    const resources: ResourceRequirements = now[index]?.resources ?? {}
    if (isRemoved(resources.requests, old.requests)) errors.forbidden(`${at}.requests`, 'resource requests cannot be removed')
    if (isRemoved(resources.limits, old.limits)) errors.forbidden(`${at}.limits`, 'resource limits cannot be removed')
  }
}

const resizable = ['cpu', 'memory']

/** Returns the new list with the old values of the resizable resources. */
function withOld(now: ResourceList = {}, before: ResourceList = {}): [string, string][] {
  const kept = Object.entries(now).filter(([name]) => !resizable.includes(name))
  const old = Object.entries(before).filter(([name]) => resizable.includes(name))
  return [...kept, ...old].sort(([a], [b]) => (a < b ? -1 : 1))
}

const comparable = (container: Container, { resources: before }: Container, claims: readonly unknown[] = []): unknown => {
  const { resources, resizePolicy = [], ...rest } = container
  return [rest, resizePolicy, claims, withOld(resources.limits, before.limits), withOld(resources.requests, before.requests)]
}

/** Whether nothing else changed. kube-apiserver compares without the new claims, so that a container with claims is never resized. */
const onlyResized = (now: Container, before: Container): boolean =>
  isSame(comparable(now, before), comparable(before, before, before.resources.claims))

function checkMutable([regular, init]: readonly [Containers, Containers], errors: Errors): void {
  for (const [index, now] of regular.now.entries()) {
    const before = regular.before[index]
    if (before === undefined || onlyResized(now, before)) continue
    errors.forbidden('spec', 'only cpu and memory resources are mutable')
  }
  for (const [index, now] of init.now.entries()) {
    const before = init.before[index]
    if (before === undefined || (isSame(now, before) && onlyResized(now, before))) continue
    const at = `spec.initContainers[${index}]`
    if (!onlyResized(now, before)) {
      errors.forbidden(at, 'only cpu and memory resources for init or sidecar containers are mutable')
    }
    const restarts = (now.resizePolicy ?? []).filter(({ restartPolicy }) => restartPolicy === 'RestartContainer')
    for (const _policy of now.restartPolicy === 'Always' ? [] : restarts) {
      errors.forbidden(at, 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized')
    }
  }
}

/** Returns the reason that this Pod can never be resized, or undefined. */
function neverResizable({ metadata, spec }: Pod): string | undefined {
  if (metadata.annotations?.[mirrorAnnotation] !== undefined) return 'static pods cannot be resized'
  return spec.os?.name === 'windows' ? 'windows pods cannot be resized' : undefined
}

const resourceCount = ({ requests = {}, limits = {} }: ResourceRequirements): number =>
  Object.keys(requests).length + Object.keys(limits).length

/** Validates changes of the Pod-level resources. */
function checkPodLevelResources({ spec: { resources: now } }: Pod, { spec: { resources: before } }: Pod, errors: Errors): void {
  if (resourceCount(now ?? {}) + resourceCount(before ?? {}) === 0) return
  if (before !== undefined && now === undefined) {
    errors.forbidden('spec.resources', 'pod-level resources cannot be removed')
    return
  }
  for (const list of ['requests', 'limits'] as const) {
    if (!isRemoved(now?.[list], before?.[list])) continue
    errors.forbidden(`spec.resources.${list}`, `pod-level resource ${list} cannot be removed`)
  }
  const wholes = [now, before].map((whole) => [
    withOld(whole?.limits, before?.limits),
    withOld(whole?.requests, before?.requests),
  ])
  if (!isSame(wholes[0], wholes[1])) errors.forbidden('spec', 'only cpu and memory resources are mutable at pod-level')
}

/**
 * Validates an update through the subresource `resize`.
 * @param qualityOfService the QoS classes of both Pods, which must be equal
 */
export function validateResize(
  pod: Pod,
  old: Pod,
  qualityOfService: { readonly now: string; readonly before: string },
): FieldError[] {
  const refused = neverResizable(old)
  if (refused !== undefined) return [forbiddenValue('[]', refused)]
  const errors = new Errors()
  checkPodSpec(pod.spec, pod.metadata, 'spec', errors)
  if (qualityOfService.now !== qualityOfService.before) {
    errors.invalid('spec', pod.status.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing')
  }
  if (!isSupported(old)) errors.forbidden('spec', 'Pod running on node without support for resize')
  checkPodLevelResources(pod, old, errors)
  const [regular, init] = sides(pod, old)
  const isOrdered = [checkOrder(regular, errors), checkOrder(init, errors)].every((ordered) => ordered)
  if (!isOrdered) return errors
  checkRemovals(init, errors)
  checkRemovals(regular, errors)
  checkMutable([regular, init], errors)
  return errors
}
