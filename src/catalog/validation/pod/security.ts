/** Checks of security contexts. Follows ValidateSecurityContext and validatePodSpecSecurityContext. */
import { duplicate, invalidValue, notSupported, required } from '../../../meta/field-error.ts'
import { inclusiveRangeError } from '../../../meta/names.ts'
import type { PodSecurityContext, SeccompProfile, SecurityContext } from '../../shapes/pod.ts'
import { checkSupported, type Errors } from '../checks.ts'

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined']
const maximumId = 2 ** 31 - 1
const sysctlName = /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?(?:[./][a-z0-9](?:[-_a-z0-9]*[a-z0-9])?)*$/
const sysctlText = '([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?'

function checkId(value: number | undefined, field: string, errors: Errors): void {
  if (value !== undefined && (value < 0 || value > maximumId)) {
    errors.push(invalidValue(field, value, inclusiveRangeError(0, maximumId)))
  }
}

function checkBacksteps(path: string, field: string, errors: Errors): void {
  if (path.startsWith('/')) errors.push(invalidValue(field, path, 'must be a relative path'))
  if (path.split('/').includes('..')) errors.push(invalidValue(field, path, "must not contain '..'"))
}

function checkSeccomp(profile: SeccompProfile | undefined, field: string, errors: Errors): void {
  if (profile === undefined) return
  const { type, localhostProfile } = profile
  if (type === '') errors.push(required(`${field}.type`, 'type is required when seccompProfile is set'))
  else if (type === 'Localhost') {
    if (localhostProfile === undefined)
      errors.push(required(`${field}.localhostProfile`, 'must be set when seccomp type is Localhost'))
    else checkBacksteps(localhostProfile, `${field}.localhostProfile`, errors)
  } else if (localhostProfile !== undefined) {
    errors.push(invalidValue(`${field}.localhostProfile`, localhostProfile, 'can only be set when seccomp type is Localhost'))
  }
  if (type !== '') checkSupported(type, profileTypes, `${field}.type`, errors)
}

/** The security context of a container. */
export function checkSecurityContext(context: SecurityContext | undefined, field: string, errors: Errors): void {
  if (context === undefined) return
  checkId(context.runAsUser, `${field}.runAsUser`, errors)
  checkId(context.runAsGroup, `${field}.runAsGroup`, errors)
  if (context.procMount !== undefined) {
    checkSupported(context.procMount, ['Default', 'Unmasked'], `${field}.procMount`, errors)
    if (context.procMount === 'Unmasked') {
      errors.push(invalidValue(`${field}.procMount`, context.procMount, '`hostUsers` must be false to use `Unmasked`'))
    }
  }
  checkSeccomp(context.seccompProfile, `${field}.seccompProfile`, errors)
  if (context.allowPrivilegeEscalation !== false) return
  const text = 'cannot set `allowPrivilegeEscalation` to false and'
  if (context.privileged === true) errors.push(invalidValue(field, context, `${text} \`privileged\` to true`))
  if ((context.capabilities?.add ?? []).includes('CAP_SYS_ADMIN')) {
    errors.push(invalidValue(field, context, `${text} \`capabilities.Add\` CAP_SYS_ADMIN`))
  }
}

function checkSysctls(sysctls: readonly { name: string }[], field: string, errors: Errors): void {
  const seen = new Set<string>()
  for (const [index, { name }] of sysctls.entries()) {
    const at = `${field}[${index}].name`
    if (name === '') errors.push(required(at))
    else if (name.length > 253 || !sysctlName.test(name)) {
      errors.push(invalidValue(at, name, `must have at most 253 characters and match regex ^${sysctlText}$`))
    } else if (seen.has(name.replaceAll('/', '.'))) errors.push(duplicate(at, name))
    seen.add(name.replaceAll('/', '.'))
  }
}

/** The security context of a Pod. */
export function checkPodSecurityContext(context: PodSecurityContext | undefined, field: string, errors: Errors): void {
  if (context === undefined) return
  checkId(context.fsGroup, `${field}.fsGroup`, errors)
  checkId(context.runAsUser, `${field}.runAsUser`, errors)
  checkId(context.runAsGroup, `${field}.runAsGroup`, errors)
  for (const [index, group] of (context.supplementalGroups ?? []).entries()) {
    checkId(group, `${field}.supplementalGroups[${index}]`, errors)
  }
  checkSysctls(context.sysctls ?? [], `${field}.sysctls`, errors)
  const policy = context.fsGroupChangePolicy
  if (policy !== undefined && !['OnRootMismatch', 'Always'].includes(policy)) {
    errors.push(notSupported(`${field}.fsGroupChangePolicy`, policy, ['Always', 'OnRootMismatch']))
  }
  checkSeccomp(context.seccompProfile, `${field}.seccompProfile`, errors)
  const groups = context.supplementalGroupsPolicy
  if (groups !== undefined) checkSupported(groups, ['Merge', 'Strict'], `${field}.supplementalGroupsPolicy`, errors)
}
