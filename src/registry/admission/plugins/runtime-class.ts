/** The admission plugin RuntimeClass: a Pod gets the overhead, the node selector and the tolerations of its RuntimeClass. */
import type { Pod, ResourceList } from '../../../catalog/generated/types/core.v1.ts'
import { isObject } from '../../../go/json-object.ts'
import type { JsonValue } from '../../../go/json-value.ts'
import { ownValue } from '../../../go/own-value.ts'
import { sortedKeys } from '../../../go/sorted-keys.ts'
import { goQuote } from '../../../go/text.ts'
import { ApiError } from '../../../meta/errors.ts'
import type { LookupResults } from '../../../meta/lookups.ts'
import { isPathSegmentName } from '../../../meta/names.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { compareQuantities } from '../../../meta/quantity.ts'
import { explicitEmpty } from '../../../schema/explicit-empty.ts'
import { type PodRuntime, runtimeClass as runtimeClassFact } from '../../facts/runtime-class.ts'
import { mergeTolerations } from '../merge-tolerations.ts'
import {
  type AdmissionAttributes,
  type AdmissionPlugin,
  admissionForbidden,
  type MutatingContext,
  type ValidatingContext,
} from '../plugin.ts'

/** Returns the name of a Pod's class; undefined if it has none. */
function classOf(pod: JsonValue): string | undefined {
  const spec = isObject(pod) ? pod.spec : undefined
  const name = isObject(spec) ? spec.runtimeClassName : undefined
  return typeof name === 'string' ? name : undefined
}

/**
 * Checks a name as the client of kube-apiserver's plugin does.
 * @throws ApiError 500 for a name that cannot be in a path
 */
function checkName(name: string): void {
  if (name === '') throw new ApiError(500, '', 'resource name may not be empty')
  const wrong = isPathSegmentName(name)
  if (wrong.length > 0) throw new ApiError(500, '', `invalid resource name ${goQuote(name)}: [${wrong.join(' ')}]`)
}

/**
 * Returns the class of a Pod; undefined if the Pod has none.
 * @throws ApiError 403 if the class does not exist, 500 for a name that cannot be in a path
 */
function runtimeOf(attributes: AdmissionAttributes, pod: KubernetesObject, lookups: LookupResults): PodRuntime | undefined {
  const name = classOf(pod as unknown as JsonValue)
  if (name === undefined) return undefined
  checkName(name)
  const runtime = lookups.get(runtimeClassFact.lookup({ name }))
  if (runtime !== null) return runtime
  throw admissionForbidden(attributes, pod, `pod rejected: RuntimeClass ${goQuote(name)} not found`)
}

function isSameOverhead(a: ResourceList, b: ResourceList): boolean {
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every((name) => {
    const other = ownValue(b, name)
    return other !== undefined && compareQuantities(a[name] ?? '0', other) === 0
  })
}

const otherOverhead = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"

function setOverhead(attributes: AdmissionAttributes, pod: Pod, overhead: ResourceList): void {
  const own = pod.spec.overhead ?? {}
  if (Object.keys(own).length > 0 && !isSameOverhead(overhead, own)) throw admissionForbidden(attributes, pod, otherOverhead)
  if (Object.keys(overhead).length > 0) pod.spec.overhead = overhead
  else delete pod.spec.overhead
}

function setScheduling(attributes: AdmissionAttributes, pod: Pod, scheduling: NonNullable<PodRuntime['scheduling']>): void {
  const { nodeSelector = {}, tolerations = [] } = scheduling
  const own = pod.spec.nodeSelector
  for (const [key, value] of Object.entries(nodeSelector)) {
    const selected = ownValue(own, key)
    if (selected === undefined || selected === value) continue
    const why = `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${selected}`
    throw admissionForbidden(attributes, pod, why)
  }
  if (Object.keys(nodeSelector).length > 0) pod.spec.nodeSelector = sortedKeys({ ...own, ...nodeSelector })
  const merged = mergeTolerations(pod.spec.tolerations ?? [], tolerations)
  if (merged.length > 0) pod.spec.tolerations = merged
}

function admitPod(attributes: AdmissionAttributes, object: KubernetesObject, _old: unknown, { lookups }: MutatingContext): void {
  const pod = object as Pod
  const { overhead, scheduling } = runtimeOf(attributes, pod, lookups) ?? {}
  if (overhead !== undefined) setOverhead(attributes, pod, overhead)
  if (scheduling !== undefined) setScheduling(attributes, pod, scheduling)
}

function validatePod(
  attributes: AdmissionAttributes,
  object: KubernetesObject,
  _old: unknown,
  { lookups }: ValidatingContext,
): void {
  const pod = object as Pod
  const defined = runtimeOf(attributes, pod, lookups)?.overhead
  const own = pod.spec.overhead ?? explicitEmpty(pod.spec, 'overhead')
  if (defined !== undefined) {
    if (!isSameOverhead(defined, pod.spec.overhead ?? {})) throw admissionForbidden(attributes, pod, otherOverhead)
  } else if (own !== undefined) {
    const why = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead'
    throw admissionForbidden(attributes, pod, why)
  }
}

/** Changes and validates a Pod on CREATE. Follows the plugin of k8s.io/kubernetes. */
export const runtimeClass: AdmissionPlugin = {
  name: 'RuntimeClass',
  handlers: [
    {
      operations: ['CREATE'],
      resources: ['pods'],
      lookups: (_attributes, object) => {
        const name = classOf(object) ?? ''
        return name === '' || isPathSegmentName(name).length > 0 ? [] : [runtimeClassFact.lookup({ name })]
      },
      admit: admitPod,
      validate: validatePod,
    },
  ],
}
