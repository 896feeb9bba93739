/** Warnings of a Pod's containers: duplicate variables and names of ports, and fractions of bytes. */
import { goQuote } from '../../go/text.ts'
import type { ObjectMeta } from '../../meta/object-meta.ts'
import type { WarningRecorder } from '../../meta/warnings.ts'
import type { Container, EnvVar, PodSpec } from '../generated/types/core.v1.ts'
import { appArmorAnnotation, appArmorProfileOf, appArmorWarning, isSameProfile } from '../validation/pod/app-armor.ts'
import { containersOf } from '../validation/pod/windows.ts'
import { warnOfPorts } from './pod-ports.ts'
import { warnOfFraction } from './warn.ts'

const seccompAnnotation = 'container.seccomp.security.alpha.kubernetes.io/'

/** Warns of duplicate variables, except if the later one refers to the earlier one, which is intended. */
function warnOfEnv(variables: readonly EnvVar[], field: string, warnings: WarningRecorder): void {
  const seen = new Set<string>()
  for (const [index, { name, value = '', valueFrom }] of variables.entries()) {
    if (seen.has(name)) {
      const reference = `$(${name})`
      if (valueFrom === undefined && value !== reference && value.includes(reference)) continue
      const text = `hides previous definition of ${goQuote(name)}, which may be dropped when using apply`
      warnings.add(`${field}[${index}]: ${text}`)
    }
    seen.add(name)
  }
}

function warnOfAnnotations(
  container: Container,
  meta: ObjectMeta,
  spec: PodSpec,
  template: string,
  warnings: WarningRecorder,
): void {
  const { name, securityContext } = container
  const { annotations } = meta
  if (annotations === undefined) return
  const at = template === '' ? 'metadata.annotations' : `${template}.metadata.annotations`
  if (securityContext?.seccompProfile === undefined && annotations[`${seccompAnnotation}${name}`] !== undefined) {
    warnings.add(`${at}[${seccompAnnotation}${name}]: non-functional in v1.27+; use the "seccompProfile" field instead`)
  }
  const annotation = annotations[`${appArmorAnnotation}${name}`]
  // In a Pod, the annotation has already become a field, whose code warns of it.
  if (template === '' || annotation === undefined || securityContext?.appArmorProfile !== undefined) return
  if (isSameProfile(appArmorProfileOf(annotation), spec.securityContext?.appArmorProfile)) return
  warnings.add(`${at}${appArmorWarning(name)}`)
}

function warnOfPortNames(spec: PodSpec, field: string, warnings: WarningRecorder): void {
  const names = new Map<string, string>()
  for (const [{ ports = [] }, container] of containersOf(spec, field)) {
    for (const [index, { name = '' }] of ports.entries()) {
      if (name === '') continue
      const at = `${container}.ports[${index}]`
      const other = names.get(name)
      if (other === undefined) names.set(name, at)
      else {
        const text = `services and probes that select ports by name will use ${other}`
        warnings.add(`${at}: duplicate port name ${goQuote(name)} with ${other}, ${text}`)
      }
    }
  }
}

/**
 * Warns of the containers of a Pod or template.
 * @param template the field of the template; '' for a Pod
 */
export function warnOfContainers(meta: ObjectMeta, spec: PodSpec, template: string, warnings: WarningRecorder): void {
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
