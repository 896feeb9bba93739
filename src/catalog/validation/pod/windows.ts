import { asJson } from '../../../meta/field-error.ts'
import { isDns1123Subdomain } from '../../../meta/names.ts'
import type * as corev1 from '../../generated/types/core.v1.ts'
import type { Errors } from '../checks.ts'

const longestSpec = 64 * 1024
const longestUser = 104
const longestDomain = 256
const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/
const dnsDomain = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

function userProblems(user: string): string[] {
  const problems: string[] = []
  if (user === '') problems.push("runAsUserName's User cannot be empty")
  else if (user.length > longestUser) {
    problems.push(`runAsUserName's User length must not be longer than ${longestUser} characters`)
  }
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces")
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    problems.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]')
  }
  return problems
}

function userNameProblems(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string']
  if (/\p{Cc}/u.test(name)) return ['runAsUserName cannot contain control characters']
  const parts = name.split('\\')
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash']
  const [first = '', second] = parts
  if (second === undefined) return userProblems(first)
  const problems: string[] = []
  if (first.length >= longestDomain) problems.push(`runAsUserName's Domain length must be under ${longestDomain} characters`)
  if (!netBios.test(first) && !dnsDomain.test(first)) {
    problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format")
  }
  return [...problems, ...userProblems(second)]
}

/** Validates windowsOptions of a security context. */
export function checkWindowsOptions(
  options: corev1.WindowsSecurityContextOptions | undefined,
  field: string,
  errors: Errors,
): void {
  if (options === undefined) return
  const { gmsaCredentialSpecName: specName, gmsaCredentialSpec: spec, runAsUserName } = options
  if (specName !== undefined)
    errors.checkMessages(isDns1123Subdomain(specName), asJson(specName), `${field}.gmsaCredentialSpecName`)
  const at = `${field}.gmsaCredentialSpec`
  if (spec === '') errors.invalid(at, spec, 'gmsaCredentialSpec cannot be an empty string')
  else if (spec !== undefined && spec.length > longestSpec) {
    errors.invalid(at, asJson(spec), `gmsaCredentialSpec size must be under ${longestSpec / 1024} KiB`)
  }
  if (runAsUserName !== undefined)
    errors.checkMessages(userNameProblems(runAsUserName), asJson(runAsUserName), `${field}.runAsUserName`)
}

/** Yields every container of a Pod with its field, in kube-apiserver's order. */
export function* containersOf(spec: corev1.PodSpec, field: string): Iterable<readonly [corev1.Container, string]> {
  for (const name of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    for (const [index, container] of (spec[name] ?? []).entries()) yield [container, `${field}.${name}[${index}]`]
  }
}

/** Checks HostProcess: it must be the same for all containers, and requires the host's network. */
export function checkHostProcess(spec: corev1.PodSpec, field: string, errors: Errors): void {
  const podValue = spec.securityContext?.windowsOptions?.hostProcess
  let all = 0
  let onHost = 0
  for (const [container, at] of containersOf(spec, field)) {
    const own = container.securityContext?.windowsOptions?.hostProcess
    if (podValue !== undefined && own !== undefined && own !== podValue) {
      const text = `pod hostProcess value must be identical if both are specified, was ${podValue}`
      errors.invalid(`${at}.securityContext.windowsOptions.hostProcess`, own, text)
    }
    all++
    if (own ?? podValue) onHost++
  }
  if (onHost === 0) return
  if (onHost !== all) {
    errors.invalid(field, '', 'If pod contains any hostProcess containers then all containers must be HostProcess containers')
  }
  if (spec.hostNetwork !== true) {
    errors.invalid(`${field}.hostNetwork`, false, 'hostNetwork must be true if pod contains any hostProcess containers')
  }
}

/** Checks that a Linux Pod does not use fields for Windows. */
export function checkLinux(spec: corev1.PodSpec, field: string, errors: Errors): void {
  const text = 'windows options cannot be set for a linux pod'
  if (spec.securityContext?.windowsOptions !== undefined) errors.forbidden(`${field}.securityContext.windowsOptions`, text)
  for (const [{ securityContext }, at] of containersOf(spec, field)) {
    if (securityContext?.windowsOptions === undefined) continue
    errors.forbidden(`${at}.securityContext.windowsOptions`, text)
  }
}

type PodField = keyof corev1.PodSecurityContext | keyof corev1.PodSpec
/** The fields that a Windows Pod must not have, each in its security context or its spec. */
const notOnWindows: readonly (readonly ['context' | 'spec' | 'flag', PodField])[] = [
  ['context', 'appArmorProfile'],
  ['context', 'seLinuxOptions'],
  ['spec', 'hostUsers'],
  ['flag', 'hostPID'],
  ['flag', 'hostIPC'],
  ['context', 'seccompProfile'],
  ['context', 'fsGroup'],
  ['context', 'fsGroupChangePolicy'],
  ['context', 'sysctls'],
  ['spec', 'shareProcessNamespace'],
  ['context', 'runAsUser'],
  ['context', 'runAsGroup'],
  ['context', 'supplementalGroups'],
  ['context', 'supplementalGroupsPolicy'],
  ['context', 'seLinuxChangePolicy'],
]
const notInContainers: readonly (keyof corev1.SecurityContext)[] = [
  ...(['appArmorProfile', 'seLinuxOptions', 'seccompProfile', 'capabilities', 'readOnlyRootFilesystem', 'privileged'] as const),
  ...(['allowPrivilegeEscalation', 'procMount', 'runAsUser', 'runAsGroup'] as const),
]

/** Checks that a Windows Pod does not use fields for Linux. */
export function checkWindows(spec: corev1.PodSpec, field: string, errors: Errors): void {
  const text = 'cannot be set for a windows pod'
  const { securityContext } = spec
  for (const [where, name] of notOnWindows) {
    const value =
      where === 'context' ? securityContext?.[name as keyof corev1.PodSecurityContext] : spec[name as keyof corev1.PodSpec]
    if (value === undefined || (where === 'flag' && value !== true)) continue
    errors.forbidden(where === 'context' ? `${field}.securityContext.${name}` : `${field}.${name}`, text)
  }
  for (const [container, at] of containersOf(spec, field)) {
    for (const name of notInContainers) {
      if (container.securityContext?.[name] !== undefined) errors.forbidden(`${at}.securityContext.${name}`, text)
    }
  }
}
