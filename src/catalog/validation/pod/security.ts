/** Checks of security contexts. Follows ValidateSecurityContext and validatePodSpecSecurityContext. */

import { trimSpace, utf8Length } from '../../../go/text.ts'
import { duplicate, forbiddenValue, invalidValue, notSupported, required, tooLong } from '../../../meta/field-error.ts'
import { inclusiveRangeError } from '../../../meta/names.ts'
import type { ObjectMeta } from '../../../meta/object-meta.ts'
import { internalJson } from '../../shapes/internal-json.ts'
import type { PodSecurityContext, PodSpec, SeccompProfile, SecurityContext } from '../../shapes/pod.ts'
import { checkSupported, type Errors } from '../checks.ts'
import { checkDescendingPath } from './paths.ts'
import { checkWindowsOptions, containersOf } from './windows.ts'

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined']
const maximumId = 2 ** 31 - 1
const longestSysctl = 253
const longestProfile = 4095
const sysctlName = /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?(?:[./][a-z0-9](?:[-_a-z0-9]*[a-z0-9])?)*$/
const sysctlText = '([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?'

function checkId(value: number | undefined, field: string, errors: Errors): void {
  if (value !== undefined && (value < 0 || value > maximumId)) {
    errors.push(invalidValue(field, value, inclusiveRangeError(0, maximumId)))
  }
}

function checkProfileType(type: string, owner: string, field: string, errors: Errors): void {
  if (type === '') errors.push(required(field, `type is required when ${owner} is set`))
  else checkSupported(type, profileTypes, field, errors)
}

function checkSeccomp(profile: SeccompProfile | undefined, field: string, errors: Errors): void {
  if (profile === undefined) return
  const { type, localhostProfile } = profile
  const at = `${field}.localhostProfile`
  checkProfileType(type, 'seccompProfile', `${field}.type`, errors)
  if (type !== 'Localhost') {
    if (localhostProfile === undefined) return
    const shown = { Type: type, LocalhostProfile: localhostProfile }
    errors.push(invalidValue(at, shown, 'can only be set when seccomp type is Localhost'))
  } else if (localhostProfile === undefined) errors.push(required(at, 'must be set when seccomp type is Localhost'))
  else checkDescendingPath(localhostProfile, at, errors)
}

function checkAppArmor(profile: SeccompProfile | undefined, field: string, errors: Errors): void {
  if (profile === undefined) return
  const { type, localhostProfile } = profile
  const at = `${field}.localhostProfile`
  const missing = 'must be set when AppArmor type is Localhost'
  if (type !== 'Localhost') {
    checkProfileType(type, 'appArmorProfile', `${field}.type`, errors)
    if (profileTypes.includes(type) && localhostProfile !== undefined) {
      errors.push(invalidValue(at, localhostProfile, 'can only be set when AppArmor type is Localhost'))
    }
  } else if (localhostProfile === undefined) errors.push(required(at, missing))
  else {
    if (trimSpace(localhostProfile) !== localhostProfile) {
      errors.push(invalidValue(at, localhostProfile, 'must not be padded with whitespace'))
    } else if (localhostProfile === '') errors.push(required(at, missing))
    if (utf8Length(localhostProfile) > longestProfile) errors.push(tooLong(at, longestProfile))
  }
}

function checkEscalation(context: SecurityContext, field: string, errors: Errors): void {
  if (context.allowPrivilegeEscalation !== false) return
  const text = 'cannot set `allowPrivilegeEscalation` to false and'
  if (context.privileged === true)
    errors.push(invalidValue(field, internalJson('SecurityContext', context), `${text} \`privileged\` to true`))
  for (const capability of context.capabilities?.add ?? []) {
    if (capability !== 'CAP_SYS_ADMIN') continue
    errors.push(invalidValue(field, internalJson('SecurityContext', context), `${text} \`capabilities.Add\` CAP_SYS_ADMIN`))
  }
}

/** The security context of a container. */
export function checkSecurityContext(
  context: SecurityContext | undefined,
  hostUsers: boolean | undefined,
  field: string,
  errors: Errors,
): void {
  if (context === undefined) return
  checkId(context.runAsUser, `${field}.runAsUser`, errors)
  checkId(context.runAsGroup, `${field}.runAsGroup`, errors)
  if (context.procMount !== undefined) {
    checkSupported(context.procMount, ['Default', 'Unmasked'], `${field}.procMount`, errors)
    if (hostUsers !== false && context.procMount === 'Unmasked') {
      errors.push(invalidValue(`${field}.procMount`, context.procMount, '`hostUsers` must be false to use `Unmasked`'))
    }
  }
  checkSeccomp(context.seccompProfile, `${field}.seccompProfile`, errors)
  checkEscalation(context, field, errors)
  checkWindowsOptions(context.windowsOptions, `${field}.windowsOptions`, errors)
  checkAppArmor(context.appArmorProfile, `${field}.appArmorProfile`, errors)
}

/** Settings of the kernel that belong to a namespace of it. */
const ofIpc = /^(?:kernel\.(?:sem|shm|shmall|shmmax|shmmni|shm_rmid_forced|msg|msgmax|msgmnb|msgmni)$|fs\.mqueue\.)/
const ofNet = /^net\./

/** A name that begins with a dot is read with dots, one that begins with a slash with slashes; both mean the same. */
function dotted(name: string): string {
  const separator = name.search(/[./]/)
  if (separator < 0 || name[separator] === '.') return name
  return name.replace(/[./]/g, (character) => (character === '.' ? '/' : '.'))
}

function checkSysctls(spec: PodSpec, field: string, errors: Errors): void {
  const seen = new Set<string>()
  for (const [index, { name }] of (spec.securityContext?.sysctls ?? []).entries()) {
    const at = `${field}[${index}].name`
    const setting = dotted(name)
    if (name === '') errors.push(required(at))
    else if (name.length > longestSysctl || !sysctlName.test(name)) {
      errors.push(invalidValue(at, name, `must have at most ${longestSysctl} characters and match regex ^${sysctlText}$`))
    } else if (seen.has(name)) errors.push(duplicate(at, name))
    if (spec.hostNetwork === true && ofNet.test(setting)) {
      errors.push(invalidValue(at, name, "may not be specified when 'hostNetwork' is true"))
    } else if (spec.hostIPC === true && ofIpc.test(setting)) {
      errors.push(invalidValue(at, name, "may not be specified when 'hostIPC' is true"))
    }
    seen.add(name)
  }
}

function checkPolicies(context: PodSecurityContext, field: string, errors: Errors): void {
  const { supplementalGroupsPolicy, seLinuxChangePolicy } = context
  if (supplementalGroupsPolicy !== undefined) {
    checkSupported(supplementalGroupsPolicy, ['Merge', 'Strict'], `${field}.supplementalGroupsPolicy`, errors)
  }
  if (seLinuxChangePolicy !== undefined) {
    checkSupported(seLinuxChangePolicy, ['Recursive'], `${field}.seLinuxChangePolicy`, errors)
  }
}

/** The security context of a Pod. */
export function checkPodSecurityContext(spec: PodSpec, field: string, errors: Errors): void {
  const { securityContext: context } = spec
  if (context === undefined) return
  checkId(context.fsGroup, `${field}.fsGroup`, errors)
  checkId(context.runAsUser, `${field}.runAsUser`, errors)
  checkId(context.runAsGroup, `${field}.runAsGroup`, errors)
  for (const [index, group] of (context.supplementalGroups ?? []).entries()) {
    checkId(group, `${field}.supplementalGroups[${index}]`, errors)
  }
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const text = 'ShareProcessNamespace and HostPID cannot both be enabled'
    errors.push(invalidValue(`${field}.shareProcessNamespace`, true, text))
  }
  checkSysctls(spec, `${field}.sysctls`, errors)
  const policy = context.fsGroupChangePolicy
  if (policy !== undefined && !['OnRootMismatch', 'Always'].includes(policy)) {
    errors.push(notSupported(`${field}.fsGroupChangePolicy`, policy, ['Always', 'OnRootMismatch']))
  }
  checkSeccomp(context.seccompProfile, `${field}.seccompProfile`, errors)
  checkWindowsOptions(context.windowsOptions, `${field}.windowsOptions`, errors)
  checkAppArmor(context.appArmorProfile, `${field}.appArmorProfile`, errors)
  checkPolicies(context, field, errors)
}

/** Pods that see other users than their host must not see its other namespaces (validateHostUsers). */
export function checkHostUsers(spec: PodSpec, field: string, errors: Errors): void {
  if (spec.hostUsers !== false) return
  const text = 'when `hostUsers` is false'
  if (spec.hostNetwork === true) errors.push(forbiddenValue(`${field}.hostNetwork`, text))
  if (spec.hostPID === true) errors.push(forbiddenValue(`${field}.HostPID`, text))
  if (spec.hostIPC === true) errors.push(forbiddenValue(`${field}.HostIPC`, text))
  for (const [container, at] of containersOf(spec, field)) {
    if ((container.volumeDevices ?? []).length > 0) errors.push(forbiddenValue(`${at}.volumeDevices`, text))
  }
}

/** How annotations say what profiles do. */
interface Dialect {
  readonly unconfined: readonly string[]
  readonly runtimeDefault: readonly string[]
  readonly localhost: string
  readonly name: string
}

const seccompDialect: Dialect = {
  unconfined: ['unconfined'],
  runtimeDefault: ['runtime/default', 'docker/default'],
  localhost: 'localhost/',
  name: 'seccomp',
}
const appArmorDialect: Dialect = {
  unconfined: ['unconfined'],
  runtimeDefault: ['runtime/default'],
  localhost: 'localhost/',
  name: 'apparmor',
}

/** An annotation of former times, where it is there, says the same as the field. */
function checkMatch(
  annotation: string | undefined,
  profile: SeccompProfile,
  dialect: Dialect,
  field: string,
  errors: Errors,
): void {
  if (annotation === undefined) return
  const { type, localhostProfile } = profile
  const { unconfined, runtimeDefault, localhost, name } = dialect
  const differ = (): number => errors.push(forbiddenValue(`${field}.type`, `${name} type in annotation and field must match`))
  if (type === 'Unconfined' && !unconfined.includes(annotation)) differ()
  if (type === 'RuntimeDefault' && !runtimeDefault.includes(annotation)) differ()
  if (type !== 'Localhost') return
  if (!annotation.startsWith(localhost)) differ()
  else if (annotation.slice(localhost.length) !== localhostProfile) {
    errors.push(forbiddenValue(`${field}.localhostProfile`, `${name} profile in annotation and field must match`))
  }
}

/** Profiles that stand in annotations and in fields are the same. */
export function checkProfileAnnotations({ annotations }: ObjectMeta, spec: PodSpec, field: string, errors: Errors): void {
  if (annotations === undefined) return
  const ofPod = spec.securityContext?.seccompProfile
  if (ofPod !== undefined) {
    const at = `${field}.securityContext.seccompProfile`
    checkMatch(annotations['seccomp.security.alpha.kubernetes.io/pod'], ofPod, seccompDialect, at, errors)
  }
  for (const [{ name, securityContext }, at] of containersOf(spec, field)) {
    const profile = securityContext?.seccompProfile
    const annotation = annotations[`container.seccomp.security.alpha.kubernetes.io/${name}`]
    if (profile !== undefined) checkMatch(annotation, profile, seccompDialect, `${at}.securityContext.seccompProfile`, errors)
  }
  if (spec.os?.name === 'windows') return
  for (const [{ name, securityContext }, at] of containersOf(spec, field)) {
    const profile = securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile
    const annotation = annotations[`container.apparmor.security.beta.kubernetes.io/${name}`]
    if (profile !== undefined) checkMatch(annotation, profile, appArmorDialect, `${at}.securityContext.appArmorProfile`, errors)
  }
}
