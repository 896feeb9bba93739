/** Warnings of a Pod's containers: duplicate variables and ports, and fractions of bytes. */
import { goQuote } from '../../go/text.ts'
import type { ObjectMeta } from '../../meta/object-meta.ts'
import type { Container, ContainerPort, EnvVar, PodSpec } from '../generated/types/core.v1.ts'
import { appArmorAnnotation, appArmorProfileOf, appArmorWarning, isSameProfile } from '../validation/pod/app-armor.ts'
import { containersOf } from '../validation/pod/windows.ts'
import { type Warnings, warnOfFraction } from './warn.ts'

const seccompAnnotation = 'container.seccomp.security.alpha.kubernetes.io/'

/** Warns of duplicate variables, except if the later one refers to the earlier one, which is intended. */
function warnOfEnv(variables: readonly EnvVar[], field: string, warnings: Warnings): void {
  const seen = new Set<string>()
  for (const [index, { name, value = '', valueFrom }] of variables.entries()) {
    if (seen.has(name)) {
      const reference = `$(${name})`
      if (valueFrom === undefined && value !== reference && value.includes(reference)) continue
      const text = `hides previous definition of ${goQuote(name)}, which may be dropped when using apply`
      warnings.push(`${field}[${index}]: ${text}`)
    }
    seen.add(name)
  }
}

function warnOfAnnotations(container: Container, meta: ObjectMeta, spec: PodSpec, template: string, warnings: Warnings): void {
  const { name, securityContext } = container
  const { annotations } = meta
  if (annotations === undefined) return
  const at = template === '' ? 'metadata.annotations' : `${template}.metadata.annotations`
  if (securityContext?.seccompProfile === undefined && annotations[`${seccompAnnotation}${name}`] !== undefined) {
    warnings.push(`${at}[${seccompAnnotation}${name}]: non-functional in v1.27+; use the "seccompProfile" field instead`)
  }
  const annotation = annotations[`${appArmorAnnotation}${name}`]
  // In a Pod, the annotation has already become a field, whose code warns of it.
  if (template === '' || annotation === undefined || securityContext?.appArmorProfile !== undefined) return
  if (isSameProfile(appArmorProfileOf(annotation), spec.securityContext?.appArmorProfile)) return
  warnings.push(`${at}${appArmorWarning(name)}`)
}

/** A port and its field path. */
interface PortField {
  readonly port: ContainerPort
  readonly at: string
}

function conflictOf(port: ContainerPort, other: ContainerPort): string | undefined {
  const { hostIP = '', hostPort = 0 } = port
  const { hostIP: otherIp = '', hostPort: otherPort = 0 } = other
  if (hostIP === otherIp && hostPort === otherPort) return 'duplicate'
  if (hostPort === 0 || otherPort === 0) return 'overlapping'
  return hostPort === otherPort && (hostIP === '') !== (otherIp === '') ? 'dangerously ambiguous' : undefined
}

/** Formats a port as Go prints it. */
const formatPort = ({ name = '', hostPort = 0, containerPort, protocol = '', hostIP = '' }: ContainerPort): string =>
  `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`

function warnOfPorts(spec: PodSpec, field: string, warnings: Warnings): void {
  const portsByKey = new Map<string, PortField[]>()
  for (const [{ ports = [] }, container] of containersOf(spec, field)) {
    for (const [index, port] of ports.entries()) {
      const at = `${container}.ports[${index}]`
      if ((port.hostIP ?? '') !== '' && (port.hostPort ?? 0) === 0) {
        warnings.push(`${at}: hostIP set without hostPort: ${formatPort(port)}`)
      }
      const key = `${port.containerPort}/${port.protocol}`
      const others = portsByKey.get(key) ?? []
      for (const other of others) {
        const conflict = conflictOf(port, other.port)
        if (conflict !== undefined) warnings.push(`${at}: ${conflict} port definition with ${other.at}`)
      }
      portsByKey.set(key, [...others, { port, at }])
    }
  }
}

function warnOfPortNames(spec: PodSpec, field: string, warnings: Warnings): void {
  const names = new Map<string, string>()
  for (const [{ ports = [] }, container] of containersOf(spec, field)) {
    for (const [index, { name = '' }] of ports.entries()) {
      if (name === '') continue
      const at = `${container}.ports[${index}]`
      const other = names.get(name)
      if (other === undefined) names.set(name, at)
      else {
        const text = `services and probes that select ports by name will use ${other}`
        warnings.push(`${at}: duplicate port name ${goQuote(name)} with ${other}, ${text}`)
      }
    }
  }
}

/**
 * Warns of the containers of a Pod or template.
 * @param template the field of the template; '' for a Pod
 */
export function warnOfContainers(meta: ObjectMeta, spec: PodSpec, template: string, warnings: Warnings): void {
  const field = template === '' ? 'spec' : `${template}.spec`
  for (const [container, at] of containersOf(spec, field)) {
    warnOfAnnotations(container, meta, spec, template, warnings)
    const { limits, requests } = container.resources
    for (const name of ['memory', 'ephemeral-storage']) {
      warnOfFraction(limits?.[name], `${at}.resources.limits[${name}]`, warnings)
      warnOfFraction(requests?.[name], `${at}.resources.requests[${name}]`, warnings)
    }
    if (container.env !== undefined && container.env.length > 1) warnOfEnv(container.env, `${at}.env`, warnings)
  }
  warnOfPorts(spec, field, warnings)
  warnOfPortNames(spec, field, warnings)
}
