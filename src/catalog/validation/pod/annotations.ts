/** Checks of the annotations with a meaning for Pods. Follows ValidatePodSpecificAnnotations of core/validation. */
import { goQuote } from '../../../go/text.ts'
import type { ObjectMeta } from '../../../meta/object-meta.ts'
import type { PodSpec } from '../../generated/types/core.v1.ts'
import type { Errors } from '../checks.ts'
import { checkDescendingPath } from './paths.ts'
import { containersOf } from './windows.ts'

/** The annotation of a mirror Pod, which represents a static Pod that the kubelet reads from a file. */
export const mirrorAnnotation = 'kubernetes.io/config.mirror'
const deletionCost = 'controller.kubernetes.io/pod-deletion-cost'
const appArmor = 'container.apparmor.security.beta.kubernetes.io/'
const podSeccompAnnotation = 'seccomp.security.alpha.kubernetes.io/pod'
const seccompOfContainer = 'container.seccomp.security.alpha.kubernetes.io/'
const seccompProfiles: ReadonlySet<string> = new Set(['runtime/default', 'docker/default', 'unconfined'])
const appArmorProfiles: ReadonlySet<string> = new Set(['', 'runtime/default', 'unconfined'])

/** Whether the text is a 32-bit integer without a plus sign or leading zeros. */
function isDeletionCost(text: string): boolean {
  if (!/^(?:0|-?[1-9]\d{0,9})$/.test(text)) return false
  const cost = Number(text)
  return cost >= -(2 ** 31) && cost < 2 ** 31
}

function checkSeccompProfile(profile: string, field: string, errors: Errors): void {
  if (seccompProfiles.has(profile)) return
  if (profile.startsWith('localhost/')) checkDescendingPath(profile.slice('localhost/'.length), field, errors)
  else errors.invalid(field, profile, 'must be a valid seccomp profile')
}

function checkAppArmor(container: string, profile: string, containers: ReadonlySet<string>, field: string, errors: Errors): void {
  if (!containers.has(container)) errors.invalid(field, container, 'container not found')
  if (appArmorProfiles.has(profile) || profile.startsWith('localhost/')) return
  errors.invalid(field, profile, `invalid AppArmor profile name: ${goQuote(profile)}`)
}

/** Validates the annotations of a Pod or Pod template. `field` is the path of the annotations. */
export function checkPodAnnotations({ annotations }: ObjectMeta, spec: PodSpec, field: string, errors: Errors): void {
  if (annotations === undefined) return
  const mirrored = annotations[mirrorAnnotation]
  if (mirrored !== undefined && (spec.nodeName ?? '') === '') {
    errors.invalid(`${field}[${mirrorAnnotation}]`, mirrored, 'must set spec.nodeName if mirror pod annotation is set')
  }
  const cost = annotations[deletionCost]
  if (cost !== undefined && !isDeletionCost(cost)) errors.invalid(`${field}[${deletionCost}]`, cost, 'must be a 32bit integer')
  // kube-apiserver names these annotations as if they were fields.
  const podProfile = annotations[podSeccompAnnotation]
  if (podProfile !== undefined) checkSeccompProfile(podProfile, `${field}.${podSeccompAnnotation}`, errors)
  for (const [key, value] of Object.entries(annotations)) {
    if (key.startsWith(seccompOfContainer)) checkSeccompProfile(value, `${field}.${key}`, errors)
  }
  const containers = new Set([...containersOf(spec, '')].map(([{ name }]) => name))
  for (const [key, value] of Object.entries(annotations)) {
    if (key.startsWith(appArmor)) checkAppArmor(key.slice(appArmor.length), value, containers, `${field}[${key}]`, errors)
  }
}

/** Checks that annotations which are immutable after creation have not changed. */
export function checkPodAnnotationsChange(
  { annotations = {} }: ObjectMeta,
  { annotations: old = {} }: ObjectMeta,
  field: string,
  errors: Errors,
): void {
  const check = (key: string, verb: 'add' | 'remove or update'): void => {
    const at = `${field}[${key}]`
    if (key.startsWith(appArmor)) errors.forbidden(at, `may not ${verb} AppArmor annotations`)
    if (key === mirrorAnnotation) errors.forbidden(at, `may not ${verb} mirror pod annotation`)
  }
  for (const key of Object.keys(old)) if (annotations[key] !== old[key]) check(key, 'remove or update')
  for (const key of Object.keys(annotations)) if (!Object.hasOwn(old, key)) check(key, 'add')
}
