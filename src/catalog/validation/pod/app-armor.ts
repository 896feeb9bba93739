/** The annotations that selected an AppArmor profile before Pods had a field for it. */
import type { SeccompProfile } from '../../generated/types/core.v1.ts'

/** The prefix of the annotation keys. The container's name follows. */
export const appArmorAnnotation = 'container.apparmor.security.beta.kubernetes.io/'

/** Returns the deprecation warning, without the path of the annotations in front of it. */
export const appArmorWarning = (container: string): string =>
  `[${appArmorAnnotation}${container}]: deprecated since v1.30; use the "appArmorProfile" field instead`

/** Returns the profile that an annotation value stands for, or undefined if the value is unknown. */
export function appArmorProfileOf(annotation: string): SeccompProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' }
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' }
  if (!annotation.startsWith('localhost/') || annotation === 'localhost/') return undefined
  return { type: 'Localhost', localhostProfile: annotation.slice('localhost/'.length) }
}

/** Whether both profiles exist and are equal. */
export const isSameProfile = (a: SeccompProfile | undefined, b: SeccompProfile | undefined): boolean =>
  a !== undefined && b !== undefined && a.type === b.type && a.localhostProfile === b.localhostProfile
