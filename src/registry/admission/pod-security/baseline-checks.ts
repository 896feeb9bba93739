/** The checks of the standard `baseline`. Follows k8s.io/pod-security-admission/policy. */
import type { LifecycleHandler, Probe } from '../../../catalog/generated/types/core.v1.ts'
import { goQuote } from '../../../go/text.ts'
import { type Check, containersOf, containersThat, counted, plural, quoted, settersOf, sortedTexts } from './violation.ts'

const appArmorAnnotation = 'container.apparmor.security.beta.kubernetes.io/'
const seccompAnnotation = 'seccomp.security.alpha.kubernetes.io/pod'
const containerSeccompAnnotation = 'container.seccomp.security.alpha.kubernetes.io/'

/** The profile types of AppArmor and of seccomp that are allowed. */
const allowedProfiles: ReadonlySet<string> = new Set(['RuntimeDefault', 'Localhost'])

const defaultCapabilities: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
])

/** Returns whether a profile type is forbidden. */
const isForbiddenProfile = (type: string): boolean => !allowedProfiles.has(type)

const isAllowedAppArmor = (value: string): boolean =>
  value === '' || value === 'runtime/default' || value.startsWith('localhost/')

/** Forbids AppArmor profiles other than the default and local ones, in fields and in the annotations of earlier releases. */
export const appArmorProfile: Check = ({ annotations = {} }, spec) => {
  const types: string[] = []
  const setters = settersOf(spec, ({ appArmorProfile: profile }) => {
    if (profile === undefined || !isForbiddenProfile(profile.type)) return false
    types.push(profile.type)
    return true
  })
  const forbidden = Object.entries(annotations)
    .filter(([key, value]) => key.startsWith(appArmorAnnotation) && !isAllowedAppArmor(value))
    .map(([key, value]) => `${key}=${goQuote(value)}`)
  if (forbidden.length > 0) setters.push(plural(forbidden.length, 'annotation'))
  if (setters.length === 0) return undefined
  const values = [...sortedTexts(types), ...sortedTexts(forbidden)]
  return {
    reason: plural(values.length, 'forbidden AppArmor profile'),
    detail: `${setters.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
  }
}

/** Forbids capabilities beyond those of a default container. */
export const capabilities: Check = (_metadata, spec) => {
  const added = (names: readonly string[] | null | undefined): string[] =>
    (names ?? []).filter((name) => !defaultCapabilities.has(name))
  const containers = containersOf(spec)
    .map(({ name, securityContext }) => ({ name, forbidden: added(securityContext?.capabilities?.add) }))
    .filter(({ forbidden }) => forbidden.length > 0)
  if (containers.length === 0) return undefined
  const names = containers.map(({ name }) => name)
  const forbidden = sortedTexts(containers.flatMap((container) => container.forbidden))
  return {
    reason: 'non-default capabilities',
    detail: `${counted('container', names)} must not include ${quoted(forbidden)} in securityContext.capabilities.add`,
  }
}

/** Forbids the namespaces of the host. */
export const hostNamespaces: Check = (_metadata, spec) => {
  const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field] === true)
  return shared.length === 0
    ? undefined
    : { reason: 'host namespaces', detail: shared.map((field) => `${field}=true`).join(', ') }
}

/** Forbids volumes that are directories of the host. */
export const hostPathVolumes: Check = (_metadata, { volumes }) => {
  const names = (volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name)
  return names.length === 0 ? undefined : { reason: 'hostPath volumes', detail: counted('volume', names) }
}

/** Forbids ports of the host. */
export const hostPorts: Check = (_metadata, spec) => {
  const ports: string[] = []
  const names = containersThat(spec, (container) => {
    const used = (container.ports ?? []).flatMap(({ hostPort }) => hostPort || [])
    ports.push(...used.map(String))
    return used.length > 0
  })
  if (names.length === 0) return undefined
  const list = sortedTexts(ports)
  const verb = plural(names.length, 'uses', 'use')
  return {
    reason: 'hostPort',
    detail: `${counted('container', names)} ${verb} ${plural(list.length, 'hostPort')} ${list.join(', ')}`,
  }
}

const hostsOf = (handler: Probe | LifecycleHandler | undefined): string[] =>
  [handler?.httpGet?.host, handler?.tcpSocket?.host].flatMap((host) => host || [])

/** Forbids hosts in probes and lifecycle handlers. */
export const hostProbesAndHostLifecycle: Check = (_metadata, spec) => {
  const hosts: string[] = []
  const names = containersThat(spec, ({ livenessProbe, readinessProbe, startupProbe, lifecycle }) => {
    const handlers = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop]
    const used = handlers.flatMap(hostsOf)
    hosts.push(...used)
    return used.length > 0
  })
  if (names.length === 0) return undefined
  const containers = sortedTexts(names)
  const verb = plural(containers.length, 'uses', 'use')
  return {
    reason: 'probe or lifecycle host',
    detail: `${counted('container', containers)} ${verb} ${counted('probe or lifecycle host', sortedTexts(hosts))}`,
  }
}

/** Forbids privileged containers. */
export const privileged: Check = (_metadata, spec) => {
  const names = containersThat(spec, ({ securityContext }) => securityContext?.privileged === true)
  if (names.length === 0) return undefined
  return { reason: 'privileged', detail: `${counted('container', names)} must not set securityContext.privileged=true` }
}

/** Requires the default masks of /proc. */
export const procMount: Check = (_metadata, spec) => {
  const types: string[] = []
  const names = containersThat(spec, ({ securityContext }) => {
    const type = securityContext?.procMount
    if (type === undefined || type === 'Default') return false
    types.push(type)
    return true
  })
  if (names.length === 0) return undefined
  return {
    reason: 'procMount',
    detail: `${counted('container', names)} must not set securityContext.procMount to ${quoted(sortedTexts(types))}`,
  }
}

/** Returns the check that allows these SELinux types, and neither users nor roles. */
export const seLinuxOptions = (allowedTypes: ReadonlySet<string>): Check => {
  return (_metadata, spec) => {
    const types: string[] = []
    const others = new Set<'user' | 'role'>()
    const setters = settersOf(spec, ({ seLinuxOptions: options }) => {
      const { type = '', user = '', role = '' } = options ?? {}
      const isForbiddenType = type !== '' && !allowedTypes.has(type)
      if (isForbiddenType) types.push(type)
      if (user !== '') others.add('user')
      if (role !== '') others.add('role')
      return isForbiddenType || user !== '' || role !== ''
    })
    if (setters.length === 0) return undefined
    const data = [
      ...(types.length > 0 ? [counted('type', sortedTexts(types))] : []),
      ...(['user', 'role'] as const).filter((field) => others.has(field)).map((field) => `${field} may not be set`),
    ]
    const detail = `${setters.join(' and ')} set forbidden securityContext.seLinuxOptions: ${data.join('; ')}`
    return { reason: 'seLinuxOptions', detail }
  }
}

const isAllowedSeccomp = (value: string): boolean =>
  value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/')

/** Forbids seccomp profiles other than the default and local ones, in the annotations of releases before 1.19. */
export const seccompAnnotations: Check = ({ annotations = {} }, spec) => {
  const keys = [seccompAnnotation, ...containersOf(spec).map(({ name }) => `${containerSeccompAnnotation}${name}`)]
  const forbidden = keys.flatMap((key) => {
    const value = annotations[key]
    return value === undefined || isAllowedSeccomp(value) ? [] : [`${key}=${goQuote(value)}`]
  })
  if (forbidden.length === 0) return undefined
  const list = sortedTexts(forbidden)
  return { reason: 'seccompProfile', detail: `forbidden ${plural(list.length, 'annotation')} ${list.join(', ')}` }
}

/** Forbids seccomp profiles other than the default and local ones. */
export const seccompProfile: Check = (_metadata, spec) => {
  const types: string[] = []
  const setters = settersOf(spec, ({ seccompProfile: profile }) => {
    if (profile === undefined || !isForbiddenProfile(profile.type)) return false
    types.push(profile.type)
    return true
  })
  if (setters.length === 0) return undefined
  const forbidden = quoted(sortedTexts(types))
  return {
    reason: 'seccompProfile',
    detail: `${setters.join(' and ')} must not set securityContext.seccompProfile.type to ${forbidden}`,
  }
}

/** Returns the check that allows these kernel parameters only. */
export const sysctls = (allowed: ReadonlySet<string>): Check => {
  return (_metadata, { securityContext }) => {
    const names = (securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !allowed.has(name))
    return names.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: names.join(', ') }
  }
}

/** Forbids Windows containers that run as processes of the host. */
export const windowsHostProcess: Check = (_metadata, spec) => {
  const setters = settersOf(spec, ({ windowsOptions }) => windowsOptions?.hostProcess === true)
  if (setters.length === 0) return undefined
  const detail = `${setters.join(' and ')} must not set securityContext.windowsOptions.hostProcess=true`
  return { reason: 'hostProcess', detail }
}
