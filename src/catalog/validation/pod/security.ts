/** Checks of security contexts. Follows ValidateSecurityContext and validatePodSpecSecurityContext. */

import { trimSpace, utf8Length } from '../../../go/text.ts'
import { asJson } from '../../../meta/field-error.ts'
import { inclusiveRangeError } from '../../../meta/names.ts'
import type { ObjectMeta } from '../../../meta/object-meta.ts'
import * as corev1 from '../../generated/types/core.v1.ts'
import { internalJson } from '../../internal-json.ts'
import type { Errors } from '../checks.ts'
import { checkDescendingPath } from './paths.ts'
import { checkWindowsOptions, containersOf } from './windows.ts'

const maximumId = 2 ** 31 - 1
const longestSysctl = 253
const longestProfile = 4095
const sysctlName = /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?(?:[./][a-z0-9](?:[-_a-z0-9]*[a-z0-9])?)*$/
const sysctlText = '([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?'

function checkId(value: number | undefined, field: string, errors: Errors): void {
  if (value !== undefined && (value < 0 || value > maximumId)) errors.invalid(field, value, inclusiveRangeError(0, maximumId))
}

function checkProfileType(type: string, owner: string, field: string, errors: Errors): void {
  if (type === '') errors.required(field, `type is required when ${owner} is set`)
  else errors.checkSupported(type, corev1.SeccompProfileType, field)
}

function checkSeccomp(profile: corev1.SeccompProfile | undefined, field: string, errors: Errors): void {
  if (profile === undefined) return
  const { type, localhostProfile } = profile
  const at = `${field}.localhostProfile`
  checkProfileType(type, 'seccompProfile', `${field}.type`, errors)
  if (type !== 'Localhost') {
    if (localhostProfile === undefined) return
    const reported = { Type: type, LocalhostProfile: localhostProfile }
    errors.invalid(at, reported, 'can only be set when seccomp type is Localhost')
  } else if (localhostProfile === undefined) errors.required(at, 'must be set when seccomp type is Localhost')
  else checkDescendingPath(localhostProfile, at, errors)
}

function checkAppArmor(profile: corev1.SeccompProfile | undefined, field: string, errors: Errors): void {
  if (profile === undefined) return
  const { type, localhostProfile } = profile
  const at = `${field}.localhostProfile`
  const missing = 'must be set when AppArmor type is Localhost'
  if (type !== 'Localhost') {
    checkProfileType(type, 'appArmorProfile', `${field}.type`, errors)
    if (corev1.SeccompProfileType.includes(type) && localhostProfile !== undefined) {
      errors.invalid(at, asJson(localhostProfile), 'can only be set when AppArmor type is Localhost')
    }
  } else if (localhostProfile === undefined) errors.required(at, missing)
  else {
    if (trimSpace(localhostProfile) !== localhostProfile) {
      errors.invalid(at, localhostProfile, 'must not be padded with whitespace')
    } else if (localhostProfile === '') errors.required(at, missing)
    if (utf8Length(localhostProfile) > longestProfile) errors.tooLong(at, longestProfile)
  }
}

function checkEscalation(context: corev1.SecurityContext, field: string, errors: Errors): void {
  if (context.allowPrivilegeEscalation !== false) return
  const text = 'cannot set `allowPrivilegeEscalation` to false and'
  if (context.privileged === true)
    errors.invalid(field, internalJson('SecurityContext', context), `${text} \`privileged\` to true`)
  for (const capability of context.capabilities?.add ?? []) {
    if (capability !== 'CAP_SYS_ADMIN') continue
    errors.invalid(field, internalJson('SecurityContext', context), `${text} \`capabilities.Add\` CAP_SYS_ADMIN`)
  }
}

/** Validates the security context of a container. */
export function checkSecurityContext(
  context: corev1.SecurityContext | undefined,
  hostUsers: boolean | undefined,
  field: string,
  errors: Errors,
): void {
  if (context === undefined) return
  checkId(context.runAsUser, `${field}.runAsUser`, errors)
  checkId(context.runAsGroup, `${field}.runAsGroup`, errors)
  if (context.procMount !== undefined) {
    errors.checkSupported(context.procMount, corev1.ProcMountType, `${field}.procMount`)
    if (hostUsers !== false && context.procMount === 'Unmasked') {
      errors.invalid(`${field}.procMount`, context.procMount, '`hostUsers` must be false to use `Unmasked`')
    }
  }
  checkSeccomp(context.seccompProfile, `${field}.seccompProfile`, errors)
  checkEscalation(context, field, errors)
  checkWindowsOptions(context.windowsOptions, `${field}.windowsOptions`, errors)
  checkAppArmor(context.appArmorProfile, `${field}.appArmorProfile`, errors)
}

/** Sysctls of the IPC namespace. */
const ipcSysctls = /^(?:kernel\.(?:sem|shm|shmall|shmmax|shmmni|shm_rmid_forced|msg|msgmax|msgmnb|msgmni)$|fs\.mqueue\.)/
const netSysctls = /^net\./

/** Normalizes a sysctl name to dots. Whether dots or slashes separate the parts depends on which of them comes first. */
function dotted(name: string): string {
  const separator = name.search(/[./]/)
  if (separator < 0 || name[separator] === '.') return name
  return name.replace(/[./]/g, (character) => (character === '.' ? '/' : '.'))
}

function checkSysctls(spec: corev1.PodSpec, field: string, errors: Errors): void {
  const seen = new Set<string>()
  for (const [index, { name }] of (spec.securityContext?.sysctls ?? []).entries()) {
    const at = `${field}[${index}].name`
    const setting = dotted(name)
    if (name === '') errors.required(at)
    else if (name.length > longestSysctl || !sysctlName.test(name)) {
      errors.invalid(at, name, `must have at most ${longestSysctl} characters and match regex ^${sysctlText}$`)
    } else if (seen.has(name)) errors.duplicate(at, name)
    if (spec.hostNetwork === true && netSysctls.test(setting)) {
      errors.invalid(at, name, "may not be specified when 'hostNetwork' is true")
    } else if (spec.hostIPC === true && ipcSysctls.test(setting)) {
      errors.invalid(at, name, "may not be specified when 'hostIPC' is true")
    }
    seen.add(name)
  }
}

function checkPolicies(context: corev1.PodSecurityContext, field: string, errors: Errors): void {
  const { supplementalGroupsPolicy, seLinuxChangePolicy } = context
  if (supplementalGroupsPolicy !== undefined) {
    errors.checkSupported(supplementalGroupsPolicy, corev1.SupplementalGroupsPolicy, `${field}.supplementalGroupsPolicy`)
  }
  if (seLinuxChangePolicy !== undefined) errors.checkSupported(seLinuxChangePolicy, ['Recursive'], `${field}.seLinuxChangePolicy`)
}

/** Validates the security context of a Pod. */
export function checkPodSecurityContext(spec: corev1.PodSpec, field: string, errors: Errors): void {
  const { securityContext: context } = spec
  if (context === undefined) return
  checkId(context.fsGroup, `${field}.fsGroup`, errors)
  checkId(context.runAsUser, `${field}.runAsUser`, errors)
  checkId(context.runAsGroup, `${field}.runAsGroup`, errors)
  for (const [index, group] of (context.supplementalGroups ?? []).entries()) {
    checkId(group, `${field}.supplementalGroups[${index}]`, errors)
  }
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    errors.invalid(`${field}.shareProcessNamespace`, true, 'ShareProcessNamespace and HostPID cannot both be enabled')
  }
  checkSysctls(spec, `${field}.sysctls`, errors)
  const policy = context.fsGroupChangePolicy
  if (policy !== undefined && !['OnRootMismatch', 'Always'].includes(policy)) {
    errors.notSupported(`${field}.fsGroupChangePolicy`, policy, corev1.PodFSGroupChangePolicy)
  }
  checkSeccomp(context.seccompProfile, `${field}.seccompProfile`, errors)
  checkWindowsOptions(context.windowsOptions, `${field}.windowsOptions`, errors)
  checkAppArmor(context.appArmorProfile, `${field}.appArmorProfile`, errors)
  checkPolicies(context, field, errors)
}

/** Validates hostUsers: a Pod in its own user namespace must not use other namespaces of the host (validateHostUsers). */
export function checkHostUsers(spec: corev1.PodSpec, field: string, errors: Errors): void {
  if (spec.hostUsers !== false) return
  const text = 'when `hostUsers` is false'
  if (spec.hostNetwork === true) errors.forbidden(`${field}.hostNetwork`, text)
  if (spec.hostPID === true) errors.forbidden(`${field}.HostPID`, text)
  if (spec.hostIPC === true) errors.forbidden(`${field}.HostIPC`, text)
  for (const [container, at] of containersOf(spec, field)) {
    if ((container.volumeDevices ?? []).length > 0) errors.forbidden(`${at}.volumeDevices`, text)
  }
}

/** The annotation values for each type of profile. */
interface AnnotationValues {
  readonly unconfined: readonly string[]
  readonly runtimeDefault: readonly string[]
  readonly localhost: string
  readonly name: string
}

const seccompValues: AnnotationValues = {
  unconfined: ['unconfined'],
  runtimeDefault: ['runtime/default', 'docker/default'],
  localhost: 'localhost/',
  name: 'seccomp',
}
const appArmorValues: AnnotationValues = {
  unconfined: ['unconfined'],
  runtimeDefault: ['runtime/default'],
  localhost: 'localhost/',
  name: 'apparmor',
}

/** Checks that a deprecated annotation, if present, agrees with the field. */
function checkMatch(
  annotation: string | undefined,
  profile: corev1.SeccompProfile,
  values: AnnotationValues,
  field: string,
  errors: Errors,
): void {
  if (annotation === undefined) return
  const { type, localhostProfile } = profile
  const { unconfined, runtimeDefault, localhost, name } = values
  const differ = (): void => errors.forbidden(`${field}.type`, `${name} type in annotation and field must match`)
  if (type === 'Unconfined' && !unconfined.includes(annotation)) differ()
  if (type === 'RuntimeDefault' && !runtimeDefault.includes(annotation)) differ()
  if (type !== 'Localhost') return
  if (!annotation.startsWith(localhost)) differ()
  else if (annotation.slice(localhost.length) !== localhostProfile) {
    errors.forbidden(`${field}.localhostProfile`, `${name} profile in annotation and field must match`)
  }
}

/** Checks that profiles in annotations and fields are the same. */
export function checkProfileAnnotations({ annotations }: ObjectMeta, spec: corev1.PodSpec, field: string, errors: Errors): void {
  if (annotations === undefined) return
  const podProfile = spec.securityContext?.seccompProfile
  if (podProfile !== undefined) {
    const at = `${field}.securityContext.seccompProfile`
    checkMatch(annotations['seccomp.security.alpha.kubernetes.io/pod'], podProfile, seccompValues, at, errors)
  }
  for (const [{ name, securityContext }, at] of containersOf(spec, field)) {
    const profile = securityContext?.seccompProfile
    const annotation = annotations[`container.seccomp.security.alpha.kubernetes.io/${name}`]
    if (profile !== undefined) checkMatch(annotation, profile, seccompValues, `${at}.securityContext.seccompProfile`, errors)
  }
  if (spec.os?.name === 'windows') return
  for (const [{ name, securityContext }, at] of containersOf(spec, field)) {
    const profile = securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile
    const annotation = annotations[`container.apparmor.security.beta.kubernetes.io/${name}`]
    if (profile !== undefined) checkMatch(annotation, profile, appArmorValues, `${at}.securityContext.appArmorProfile`, errors)
  }
}
