/** Checks of changes of what a Pod's containers ask for. Follows ValidatePodResize of k8s.io/kubernetes and KEP-1287. */
import { type FieldError, forbiddenValue } from '../../../meta/field-error.ts'
import type { Container, ContainerStatus, Pod, ResourceList, ResourceRequirements } from '../../generated/types/core.v1.ts'
import { Errors, isSame } from '../checks.ts'
import { checkPodSpec } from '../pod/pod-spec.ts'
import { mirrorAnnotation } from './pod-ephemeral-containers.ts'

/** Both sides of a change of one list of containers. */
interface Containers {
  readonly field: string
  readonly now: readonly Container[]
  readonly before: readonly Container[]
}

const sides = (pod: Pod, old: Pod): readonly [regular: Containers, init: Containers] => [
  { field: 'containers', now: pod.spec.containers ?? [], before: old.spec.containers ?? [] },
  { field: 'initContainers', now: pod.spec.initContainers ?? [], before: old.spec.initContainers ?? [] },
]

/** Whether the node of a running Pod tells of its containers' resources: older ones cannot resize. */
function isSupported({ status }: Pod): boolean {
  const statuses = (status.containerStatuses ?? []) as readonly ContainerStatus[]
  const running = statuses.find(({ state }) => state?.running !== undefined)
  return running === undefined || running.resources !== undefined
}

/** Whether the containers are the same ones in the same order. */
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

/** The list as it would be had the resizable resources not changed. */
function withOld(now: ResourceList = {}, before: ResourceList = {}): [string, string][] {
  const kept = Object.entries(now).filter(([name]) => !resizable.includes(name))
  const old = Object.entries(before).filter(([name]) => resizable.includes(name))
  return [...kept, ...old].sort(([a], [b]) => (a < b ? -1 : 1))
}

const comparable = (container: Container, { resources: before }: Container): unknown => {
  const { resources, resizePolicy = [], ...rest } = container
  return [
    rest,
    resizePolicy,
    resources.claims ?? [],
    withOld(resources.limits, before.limits),
    withOld(resources.requests, before.requests),
  ]
}

const onlyResized = (now: Container, before: Container): boolean => isSame(comparable(now, before), comparable(before, before))

function checkMutable([regular, init]: readonly [Containers, Containers], errors: Errors): void {
  for (const [index, now] of regular.now.entries()) {
    const before = regular.before[index]
    if (before === undefined || onlyResized(now, before)) continue
    errors.forbidden('spec', 'only cpu and memory resources are mutable')
  }
  for (const [index, now] of init.now.entries()) {
    const before = init.before[index]
    if (before === undefined || isSame(now, before)) continue
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

/** Why Pods of this kind are not resized at all. */
function refusal({ metadata, spec }: Pod): string | undefined {
  if (metadata.annotations?.[mirrorAnnotation] !== undefined) return 'static pods cannot be resized'
  return spec.os?.name === 'windows' ? 'windows pods cannot be resized' : undefined
}

const asked = ({ requests = {}, limits = {} }: ResourceRequirements): number =>
  Object.keys(requests).length + Object.keys(limits).length

/** What the Pod asks for as a whole. */
function checkWhole({ spec: { resources: now } }: Pod, { spec: { resources: before } }: Pod, errors: Errors): void {
  if (asked(now ?? {}) + asked(before ?? {}) === 0) return
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
 * What is wrong with a change of what a Pod's containers ask for.
 * @param qualityOfService of both Pods: it must stay as it is
 */
export function validateResize(
  pod: Pod,
  old: Pod,
  qualityOfService: { readonly now: string; readonly before: string },
): FieldError[] {
  const refused = refusal(old)
  if (refused !== undefined) return [forbiddenValue('[]', refused)]
  const errors = new Errors()
  checkPodSpec(pod.spec, pod.metadata, 'spec', errors)
  if (qualityOfService.now !== qualityOfService.before) {
    errors.invalid('spec', pod.status.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing')
  }
  if (!isSupported(old)) errors.forbidden('spec', 'Pod running on node without support for resize')
  checkWhole(pod, old, errors)
  const [regular, init] = sides(pod, old)
  const isOrdered = [checkOrder(regular, errors), checkOrder(init, errors)].every((ordered) => ordered)
  if (!isOrdered) return errors
  checkRemovals(init, errors)
  checkRemovals(regular, errors)
  checkMutable([regular, init], errors)
  return errors
}
