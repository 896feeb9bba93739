/** Checks of Pods. Follows ValidatePodCreate and ValidatePodUpdate of k8s.io/kubernetes/pkg/apis/core/validation. */

import type { JsonValue } from '../../../go/json-value.ts'
import { jsonDifference, mostLines } from '../../../go/unified-diff.ts'
import { inclusiveRangeError } from '../../../meta/names.ts'
import { copyExplicitEmpty, explicitEmpty } from '../../../schema/explicit-empty.ts'
import type { Container, NodeSelectorTerm, Pod, PodSpec, Toleration } from '../../generated/types/core.v1.ts'
import { internalJson } from '../../internal-json.ts'
import { type Errors, isSame, validator } from '../checks.ts'
import { checkPodAnnotations, checkPodAnnotationsChange } from '../pod/annotations.ts'
import { checkImageSpace } from '../pod/containers.ts'
import { checkPodSpec } from '../pod/pod-spec.ts'
import { checkTolerations } from '../pod/scheduling.ts'
import { checkProfileAnnotations } from '../pod/security.ts'

const maximumInt32 = 2 ** 31 - 1

/** Checks that a Pod with a projected token has a ServiceAccount. */
function checkTokens(spec: PodSpec, errors: Errors): void {
  if ((spec.serviceAccountName ?? '') !== '') return
  for (const [index, volume] of (spec.volumes ?? []).entries()) {
    const projected = volume.projected as { sources?: { serviceAccountToken?: unknown }[] | null } | undefined
    for (const [at, { serviceAccountToken }] of (projected?.sources ?? []).entries()) {
      if (serviceAccountToken === undefined) continue
      const field = `spec.volumes[${index}].projected.sources[${at}].serviceAccountToken`
      errors.forbidden(field, 'must not be specified when serviceAccountName is not set')
    }
  }
}

/** Validates a Pod on create and update (validatePodMetadataAndSpec). */
function checkPod({ metadata, spec }: Pod, errors: Errors): void {
  checkPodAnnotations(metadata, spec, 'metadata.annotations', errors)
  checkPodSpec(spec, metadata, 'spec', errors)
  checkTokens(spec, errors)
  for (const name of ['containers', 'initContainers'] as const) {
    for (const [index, container] of (spec[name] ?? []).entries()) checkImageSpace(container, `spec.${name}[${index}]`, errors)
  }
}

/** Validates a new Pod, except its metadata. */
export const validatePod = validator((errors, pod: Pod) => {
  const { metadata, spec } = pod
  checkPod(pod, errors)
  if ((spec.ephemeralContainers ?? []).length > 0) errors.forbidden('spec.ephemeralContainers', 'cannot be set on create')
  if ((spec.nodeName ?? '') !== '' && (spec.schedulingGates ?? []).length > 0) {
    errors.forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')
  }
  checkProfileAnnotations(metadata, spec, 'spec', errors)
})

/**
 * Checks that no containers are added or removed, and validates their images. Returns whether the lists differ in length, so
 * that no further comparison is possible.
 */
function checkContainerChange(
  containers: readonly Container[],
  old: readonly Container[],
  field: string,
  errors: Errors,
): boolean {
  if (containers.length !== old.length) {
    errors.forbidden(field, 'pod updates may not add or remove containers')
    return true
  }
  for (const [index, container] of containers.entries()) {
    if ((container.image ?? '') === '') errors.required(`${field}[${index}].image`)
    checkImageSpace(container, `${field}[${index}]`, errors)
  }
  return false
}

/** Checks the change of activeDeadlineSeconds. Returns whether validation ends here, as it does upstream. */
function checkDeadlineChange(spec: PodSpec, old: PodSpec, errors: Errors): boolean {
  const field = 'spec.activeDeadlineSeconds'
  const { activeDeadlineSeconds: now } = spec
  const { activeDeadlineSeconds: before } = old
  if (now === undefined) {
    if (before !== undefined) errors.invalid(field, null, 'must not update from a positive integer to nil value')
    return false
  }
  if (now < 0 || now > maximumInt32) errors.invalid(field, now, inclusiveRangeError(0, maximumInt32))
  else if (before !== undefined && before < now) errors.invalid(field, now, 'must be less than or equal to previous value')
  else return false
  return true
}

/** Identifies a toleration regardless of its tolerationSeconds. */
const identityOf = (toleration: Toleration): string => JSON.stringify({ ...toleration, tolerationSeconds: undefined })

function checkTolerationsChange(spec: PodSpec, old: PodSpec, errors: Errors): void {
  const tolerations = spec.tolerations ?? []
  const present = new Set(tolerations.map(identityOf))
  for (const before of old.tolerations ?? []) {
    if (present.has(identityOf(before))) continue
    errors.forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')
    return
  }
  checkTolerations(tolerations, 'spec.tolerations', errors)
}

function checkGatesChange(spec: PodSpec, old: PodSpec, errors: Errors): void {
  const before = new Set((old.schedulingGates ?? []).map((gate) => gate.name))
  // If a gate occurs twice, the error names the last one.
  const places = new Map((spec.schedulingGates ?? []).map(({ name }, index) => [name, index]))
  for (const [name, index] of places) {
    if (before.has(name)) continue
    errors.forbidden(`spec.schedulingGates[${index}].name`, `only deletion is allowed, but found new scheduling gate '${name}'`)
  }
}

const withImages = (
  containers: readonly Container[] | null | undefined,
  from: readonly Container[] | null | undefined,
): Container[] | undefined =>
  containers?.map((container, index) => {
    const { image: _image, ...rest } = container
    const image = from?.[index]?.image
    return image === undefined ? rest : { ...rest, image }
  })

const nodeTerms = 'requiredDuringSchedulingIgnoredDuringExecution'

/** Whether the term only has additional requirements after the existing ones. */
function isAddition(term: NodeSelectorTerm | undefined, old: NodeSelectorTerm): boolean {
  if (isSame(term, old)) return true
  const { matchExpressions: expressions = [], matchFields: fields = [] } = old
  if (term === undefined || expressions.length + fields.length === 0) return false
  const begins = <T>(now: readonly T[], before: readonly T[]): boolean =>
    before.every((requirement, index) => isSame(requirement, now[index]))
  return begins(term.matchExpressions ?? [], expressions) && begins(term.matchFields ?? [], fields)
}

function checkAffinityChange(spec: PodSpec, old: PodSpec, errors: Errors): void {
  const field = `spec.affinity.nodeAffinity.${nodeTerms}.nodeSelectorTerms`
  const before = old.affinity?.nodeAffinity?.[nodeTerms]?.nodeSelectorTerms ?? []
  const selector = spec.affinity?.nodeAffinity?.[nodeTerms]
  const now = selector?.nodeSelectorTerms ?? []
  if (before.length > 0 && before.length !== now.length) {
    const none = selector === undefined ? undefined : explicitEmpty(selector, 'nodeSelectorTerms')
    const reported = internalJson('[]NodeSelectorTerm', now.length === 0 ? none : now)
    errors.invalid(field, reported, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed')
    return
  }
  for (const [index, term] of before.entries()) {
    if (isAddition(now[index], term)) continue
    const reported = internalJson('NodeSelectorTerm', now[index])
    errors.invalid(`${field}[${index}]`, reported, 'only additions are allowed (no mutations or deletions)')
  }
}

/** Checks the scheduling constraints of a gated Pod, which may only become narrower. */
function checkGatedChange(spec: PodSpec, old: PodSpec, errors: Errors): void {
  const before = old.nodeSelector ?? {}
  const now = spec.nodeSelector ?? {}
  if (Object.entries(before).some(([key, value]) => now[key] !== value)) {
    const text = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)'
    errors.invalid('spec.nodeSelector', spec.nodeSelector ?? explicitEmpty(spec, 'nodeSelector') ?? null, text)
  }
  checkAffinityChange(spec, old, errors)
}

const fixed =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

/** Lists of which kube-apiserver makes copies before it compares: they are never explicitly empty. */
const rebuilt: readonly string[] = ['containers', 'initContainers']

/** Returns `spec` with these fields of `from`. */
function withFieldsOf(spec: PodSpec, from: PodSpec, names: readonly (keyof PodSpec)[]): PodSpec {
  const entries: [string, unknown][] = Object.entries(spec).filter(([name]) => !names.includes(name as keyof PodSpec))
  for (const name of names) if (from[name] !== undefined) entries.push([name, from[name]])
  const copy = Object.fromEntries(entries)
  copyExplicitEmpty(spec, copy, [...names, ...rebuilt])
  return copy as unknown as PodSpec
}

function withNodeAffinityOf(spec: PodSpec, old: PodSpec): PodSpec {
  const { nodeAffinity: _now, ...rest } = spec.affinity ?? {}
  const nodeAffinity = old.affinity?.nodeAffinity
  const affinity = { ...(nodeAffinity !== undefined && { nodeAffinity }), ...rest }
  if (Object.keys(affinity).length > 0) return { ...spec, affinity }
  return withFieldsOf(spec, old, ['affinity'])
}

/** Returns the new spec with the old values of all mutable fields, so that any difference from the old spec is an error. */
function unchanged(spec: PodSpec, old: PodSpec): PodSpec {
  const { terminationGracePeriodSeconds: before = 0 } = old
  const mayEnd = before < 0 && spec.terminationGracePeriodSeconds === 1
  const isGated = (old.schedulingGates ?? []).length > 0
  const names: (keyof PodSpec)[] = ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']
  if (mayEnd) names.push('terminationGracePeriodSeconds')
  if (isGated) names.push('nodeSelector')
  const munged = withFieldsOf(spec, old, names)
  munged.containers = withImages(spec.containers, old.containers) ?? null
  const initContainers = withImages(spec.initContainers, old.initContainers)
  if (initContainers !== undefined) munged.initContainers = initContainers
  return isGated ? withNodeAffinityOf(munged, old) : munged
}

const toInternal = (spec: PodSpec): JsonValue => internalJson('PodSpec', spec)

/**
 * Whether a list has another length than before, and so many elements that no diff contains it. The specs then differ, and their
 * conversion, which takes half a second for 1.4 MB, would not change the message.
 */
const hasLongDifference = (spec: PodSpec, old: PodSpec): boolean =>
  Object.entries(spec).some(([name, list]: [string, unknown]) => {
    const before: unknown = old[name as keyof PodSpec]
    return Array.isArray(list) && list.length > mostLines && list.length !== (Array.isArray(before) ? before.length : 0)
  })

/** Validates an update of a Pod. */
export const validatePodUpdate = validator((errors, pod: Pod, oldPod: Pod) => {
  const { spec } = pod
  const { spec: old } = oldPod
  checkPod(pod, errors)
  checkPodAnnotationsChange(pod.metadata, oldPod.metadata, 'metadata.annotations', errors)
  checkPodAnnotations(pod.metadata, spec, 'metadata.annotations', errors)
  if (checkContainerChange(spec.containers ?? [], old.containers ?? [], 'spec.containers', errors)) return
  if (checkContainerChange(spec.initContainers ?? [], old.initContainers ?? [], 'spec.initContainers', errors)) return
  if (checkDeadlineChange(spec, old, errors)) return
  checkTolerationsChange(spec, old, errors)
  checkGatesChange(spec, old, errors)
  if ((old.schedulingGates ?? []).length > 0) checkGatedChange(spec, old, errors)
  const compared = unchanged(spec, old)
  if (hasLongDifference(compared, old) || hasLongDifference(old, compared)) {
    errors.forbidden('spec', `${fixed}\n`)
    return
  }
  const [before, now] = [toInternal(old), toInternal(compared)]
  if (!isSame(before, now)) errors.forbidden('spec', `${fixed}\n${jsonDifference(before, now)}`)
})
