/** The annotations by which Pods chose an AppArmor profile before there was a field for it. */
import type { SeccompProfile } from '../../generated/types/core.v1.ts'

/** How the keys begin; the container's name follows. */
export const appArmorAnnotation = 'container.apparmor.security.beta.kubernetes.io/'

/** What a writer is told, behind the field of the annotations. */
export const appArmorWarning = (container: string): string =>
  `[${appArmorAnnotation}${container}]: deprecated since v1.30; use the "appArmorProfile" field instead`

/** The profile that an annotation stands for; undefined where it stands for none. */
export function appArmorProfileOf(annotation: string): SeccompProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' }
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' }
  if (!annotation.startsWith('localhost/') || annotation === 'localhost/') return undefined
  return { type: 'Localhost', localhostProfile: annotation.slice('localhost/'.length) }
}

/** Whether both are there and the same. */
export const isSameProfile = (a: SeccompProfile | undefined, b: SeccompProfile | undefined): boolean =>
  a !== undefined && b !== undefined && a.type === b.type && a.localhostProfile === b.localhostProfile
