/** The admission plugin LimitRanger: the LimitRanges of a namespace set defaults in Pods and bound Pods and claims. */
import type { LimitRangeSpec, PersistentVolumeClaim, Pod } from '../../../catalog/generated/types/core.v1.ts'
import { namespaceLookup } from '../../../clusters/lookups.ts'
import type { LookupResults } from '../../../meta/lookups.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { setDefaults } from '../limit-ranger/defaults.ts'
import { claimRefusals, podRefusals } from '../limit-ranger/limits.ts'
import { type AdmissionAttributes, type AdmissionHandler, type AdmissionPlugin, admissionForbidden } from '../plugin.ts'

/** Returns the LimitRanges that apply, in the order of their names. An object that is being deleted has none. */
function rangesOf(
  { namespace }: AdmissionAttributes,
  old: KubernetesObject | undefined,
  lookups: LookupResults,
): readonly LimitRangeSpec[] {
  if (old?.metadata.deletionTimestamp !== undefined) return []
  return (lookups.get(namespaceLookup(namespace))?.limits?.limitRanges ?? []).map(({ spec }) => spec)
}

/** Returns the lookup of an update. NamespaceLifecycle expects it for every CREATE. */
const lookups: NonNullable<AdmissionHandler['lookups']> = ({ namespace }) => [namespaceLookup(namespace)]

type Admit = NonNullable<AdmissionHandler['admit']>
type Validate = NonNullable<AdmissionHandler['validate']>

const admitPod: Admit = (attributes, object, old, context) => {
  for (const range of rangesOf(attributes, old, context.lookups)) setDefaults(object as Pod, range)
}

/** Makes the validation of one kind. The first LimitRange with a reason rejects the object, with all its reasons. */
const validation =
  (refusals: (object: KubernetesObject, range: LimitRangeSpec) => readonly string[]): Validate =>
  (attributes, object, old, context) => {
    for (const range of rangesOf(attributes, old, context.lookups)) {
      const [first, ...others] = new Set(refusals(object, range))
      if (first === undefined) continue
      throw admissionForbidden(attributes, object, others.length === 0 ? first : `[${[first, ...others].join(', ')}]`)
    }
  }

const validatePod = validation((object, range) => podRefusals(object as Pod, range))
const validateClaim = validation((object, range) => claimRefusals(object as PersistentVolumeClaim, range))

/**
 * Handles a CREATE of a Pod, its resize, and a CREATE and an UPDATE of a claim. Other updates of a Pod cannot change its resources.
 * Follows the plugin of k8s.io/kubernetes.
 */
export const limitRanger: AdmissionPlugin = {
  name: 'LimitRanger',
  handlers: [
    { operations: ['CREATE'], resources: ['pods'], admit: admitPod, validate: validatePod },
    { operations: ['UPDATE'], resources: ['pods/resize'], lookups, admit: admitPod, validate: validatePod },
    { operations: ['CREATE'], resources: ['persistentvolumeclaims'], validate: validateClaim },
    { operations: ['UPDATE'], resources: ['persistentvolumeclaims'], lookups, validate: validateClaim },
  ],
}
