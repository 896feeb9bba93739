/** The admission plugin Priority: sets the priority of Pods and PodGroups from their PriorityClass, and allows at most one default class. */

import { orderFields } from '../../../catalog/field-order.ts'
import type { Pod, PodSpec } from '../../../catalog/generated/types/core.v1.ts'
import type { PriorityClass } from '../../../catalog/generated/types/scheduling.v1.ts'
import type { PodGroup } from '../../../catalog/generated/types/scheduling.v1alpha2.ts'
import { workerLookup } from '../../../clusters/lookups.ts'
import type { PodPriority } from '../../../clusters/priority-classes.ts'
import { isEnabled } from '../../../config/feature-gates.ts'
import { isObject } from '../../../go/json-object.ts'
import type { JsonValue } from '../../../go/json-value.ts'
import type { WorkerLookup } from '../../../meta/lookups.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { readPriorityClasses } from '../../policy/priority-classes.ts'
import {
  type AdmissionAttributes,
  type AdmissionPlugin,
  admissionForbidden,
  type MutatingContext,
  type ValidatingContext,
} from '../plugin.ts'

const priorityLookup = (className: string): WorkerLookup<PodPriority | null> =>
  workerLookup('priority', { className }, `priority ${className}`)

function lookupsOf(_attributes: AdmissionAttributes, object: JsonValue): readonly WorkerLookup<unknown>[] {
  const spec = isObject(object) ? object.spec : undefined
  const name = isObject(spec) ? spec.priorityClassName : undefined
  return [priorityLookup(typeof name === 'string' ? name : '')]
}

/** Returns the reason to reject a Pod; undefined if it is valid. */
function refusal({ priorityClassName = '', ...spec }: PodSpec, priority: PodPriority | null): string | undefined {
  if (priority === null) return `no PriorityClass with name ${priorityClassName} was found`
  const { value, preemptionPolicy } = priority
  const computed = (amount: number | string): string =>
    `must not be provided in pod spec; priority admission controller computed ${amount} from the given PriorityClass name`
  if (spec.priority !== undefined && spec.priority !== value) {
    return `the integer value of priority (${spec.priority}) ${computed(value)}`
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    return `the string value of PreemptionPolicy (${spec.preemptionPolicy}) ${computed(preemptionPolicy)}`
  }
  return undefined
}

/** Sets the priority of a new Pod from its PriorityClass, or from the default one. */
function setPriority(
  attributes: AdmissionAttributes,
  object: KubernetesObject,
  _old: unknown,
  { lookups }: MutatingContext,
): void {
  const { spec } = object as Pod
  const priority = lookups.get(priorityLookup(spec.priorityClassName ?? ''))
  const why = refusal(spec, priority)
  if (why !== undefined || priority === null) throw admissionForbidden(attributes, object, why ?? '')
  if (priority.name !== '') spec.priorityClassName = priority.name
  spec.priority = priority.value
  spec.preemptionPolicy = priority.preemptionPolicy
}

/** Sets the priority of a new PodGroup from its PriorityClass, or from the default one. */
function setGroupPriority(
  attributes: AdmissionAttributes,
  object: KubernetesObject,
  _old: unknown,
  { lookups }: MutatingContext,
): void {
  if (!isEnabled('WorkloadAwarePreemption')) return
  const { spec } = object as PodGroup
  const { priorityClassName = '' } = spec
  const found = lookups.get(priorityLookup(priorityClassName))
  if (found === null) throw admissionForbidden(attributes, object, `no PriorityClass with name ${priorityClassName} was found`)
  if (spec.priority !== undefined && spec.priority !== found.value) {
    const why = `must match the priority computed (${found.value}) based on the priority class set in the spec`
    throw admissionForbidden(attributes, object, `priority set in the pod group (${spec.priority}) ${why}`)
  }
  if (found.name !== '') spec.priorityClassName = found.name
  spec.priority = found.value
  orderFields(attributes.kind.type, object as unknown as JsonValue)
}

/** Restores the priority of a Pod if an update omits it. */
function keepPriority(_attributes: AdmissionAttributes, object: KubernetesObject, old: KubernetesObject | undefined): void {
  const { spec } = object as Pod
  const { spec: before } = old as Pod
  if (before.priority !== undefined) spec.priority ??= before.priority
  if (before.preemptionPolicy !== undefined) spec.preemptionPolicy ??= before.preemptionPolicy
}

function requireSingleDefault(
  attributes: AdmissionAttributes,
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  { store }: ValidatingContext,
): void {
  const { metadata, globalDefault } = object as PriorityClass
  if (globalDefault !== true || store === undefined) return
  const { default: existing } = readPriorityClasses(store)
  if (existing === undefined || (old !== undefined && existing.name === metadata.name)) return
  const why = `PriorityClass ${existing.name} is already marked as default. Only one default can exist`
  throw admissionForbidden(attributes, object, why)
}

/**
 * Sets the priority on a CREATE and an UPDATE of a Pod, and validates those of a PriorityClass. Follows the plugin of
 * k8s.io/kubernetes.
 */
export const priority: AdmissionPlugin = {
  name: 'Priority',
  handlers: [
    { operations: ['CREATE'], resources: ['pods'], lookups: lookupsOf, admit: setPriority },
    { operations: ['UPDATE'], resources: ['pods'], admit: keepPriority },
    {
      operations: ['CREATE'],
      resources: ['podgroups.scheduling.k8s.io'],
      lookups: (attributes, object) => (isEnabled('WorkloadAwarePreemption') ? lookupsOf(attributes, object) : []),
      admit: setGroupPriority,
    },
    {
      operations: ['CREATE', 'UPDATE'],
      resources: ['priorityclasses.scheduling.k8s.io'],
      validate: requireSingleDefault,
    },
  ],
}
