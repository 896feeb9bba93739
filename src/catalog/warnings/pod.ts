/** Warnings of Pods and pod templates. Follows k8s.io/kubernetes/pkg/api/pod/warnings.go. */
import { goQuote } from '../../go/text.ts'
import type { ObjectMeta } from '../../meta/object-meta.ts'
import type { WarningRecorder } from '../../meta/warnings.ts'
import type { Pod, PodAffinity, PodSpec, PodTemplateSpec } from '../generated/types/core.v1.ts'
import { warnOfIp } from './addresses.ts'
import { deprecatedLabels, warnOfTerm } from './node-labels.ts'
import { warnOfContainers } from './pod-containers.ts'
import { warnOfVolumes } from './pod-volumes.ts'
import { forMainResource, type Warn, warnOfFraction, warnOfName } from './warn.ts'

const requiredTerms = 'requiredDuringSchedulingIgnoredDuringExecution'
const preferredTerms = 'preferredDuringSchedulingIgnoredDuringExecution'
const noSelector = 'a null labelSelector results in matching no pod'
const seccompAnnotation = 'seccomp.security.alpha.kubernetes.io/pod'
const deprecatedAnnotations: readonly (readonly [string, string])[] = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
]

function warnOfNodes({ nodeSelector = {}, affinity }: PodSpec, field: string, warnings: WarningRecorder): void {
  for (const key of Object.keys(nodeSelector)) {
    const text = deprecatedLabels.get(key)
    if (text !== undefined) warnings.add(`${field}.nodeSelector[${key}]: ${text}`)
  }
  const at = `${field}.affinity.nodeAffinity`
  const { [requiredTerms]: required, [preferredTerms]: preferred = [] } = affinity?.nodeAffinity ?? {}
  for (const [index, term] of (required?.nodeSelectorTerms ?? []).entries()) {
    warnOfTerm(term, 'validated', `${at}.${requiredTerms}.nodeSelectorTerms[${index}]`, warnings)
  }
  for (const [index, { preference }] of preferred.entries()) {
    warnOfTerm(preference, 'unvalidated', `${at}.${preferredTerms}[${index}].preference`, warnings)
  }
}

function warnOfSpread({ topologySpreadConstraints = [] }: PodSpec, field: string, warnings: WarningRecorder): void {
  for (const [index, { topologyKey, labelSelector }] of topologySpreadConstraints.entries()) {
    const at = `${field}.topologySpreadConstraints[${index}]`
    const text = deprecatedLabels.get(topologyKey)
    if (text !== undefined) warnings.add(`${at}.topologyKey: ${topologyKey} is ${text}`)
    if (labelSelector === undefined) warnings.add(`${at}.labelSelector: ${noSelector}`)
  }
}

function warnOfDuplicates(values: readonly string[], name: string, field: string, warnings: WarningRecorder): void {
  const seen = new Set<string>()
  for (const [index, value] of values.entries()) {
    if (warnings.isFull) return
    if (seen.has(value)) warnings.add(`${field}[${index}].${name}: duplicate ${name} ${goQuote(value)}`)
    seen.add(value)
  }
}

function warnOfSecrets({ imagePullSecrets = [] }: PodSpec, field: string, warnings: WarningRecorder): void {
  const names = imagePullSecrets.map(({ name = '' }) => name)
  warnOfDuplicates(names, 'name', field, warnings)
  for (const [index, name] of names.entries()) {
    if (warnings.isFull) return
    if (name === '') warnings.add(`${field}[${index}].name: invalid empty name ""`)
  }
}

function warnOfAffinity(affinity: PodAffinity | undefined, field: string, warnings: WarningRecorder): void {
  for (const [index, { labelSelector }] of (affinity?.[requiredTerms] ?? []).entries()) {
    if (labelSelector === undefined) warnings.add(`${field}.${requiredTerms}[${index}].labelSelector: ${noSelector}`)
  }
  for (const [index, { podAffinityTerm }] of (affinity?.[preferredTerms] ?? []).entries()) {
    const at = `${field}.${preferredTerms}[${index}].podAffinityTerm.labelSelector`
    if (podAffinityTerm.labelSelector === undefined) warnings.add(`${at}: ${noSelector}`)
  }
}

function warnOfAnnotations({ annotations }: ObjectMeta, field: string, warnings: WarningRecorder): void {
  if (annotations === undefined) return
  for (const [key, text] of deprecatedAnnotations) if (annotations[key] !== undefined) warnings.add(`${field}[${key}]: ${text}`)
}

function warnOfAddresses({ dnsConfig, hostAliases = [] }: PodSpec, field: string, warnings: WarningRecorder): void {
  for (const [index, address] of (dnsConfig?.nameservers ?? []).entries()) {
    warnOfIp(address, `${field}.dnsConfig.nameservers[${index}]`, warnings)
  }
  for (const [index, { ip }] of hostAliases.entries()) warnOfIp(ip, `${field}.hostAliases[${index}].ip`, warnings)
}

/** @param template the field of the template; '' for a Pod */
function warnOfSpec(metadata: ObjectMeta, spec: PodSpec, template: string, warnings: WarningRecorder): void {
  const prefix = template === '' ? '' : `${template}.`
  const field = `${prefix}spec`
  const annotations = `${prefix}metadata.annotations`
  warnOfNodes(spec, field, warnings)
  warnOfSpread(spec, field, warnings)
  warnOfAnnotations(metadata, annotations, warnings)
  if (spec.volumes !== undefined) warnOfVolumes(spec.volumes, `${field}.volumes`, warnings)
  warnOfDuplicates(
    (spec.hostAliases ?? []).map(({ ip }) => ip),
    'ip',
    `${field}.hostAliases`,
    warnings,
  )
  warnOfSecrets(spec, `${field}.imagePullSecrets`, warnings)
  for (const name of ['memory', 'ephemeral-storage']) {
    warnOfFraction(spec.overhead?.[name], `${field}.overhead[${name}]`, warnings)
  }
  if (spec.securityContext?.seccompProfile === undefined && metadata.annotations?.[seccompAnnotation] !== undefined) {
    warnings.add(`${annotations}[${seccompAnnotation}]: non-functional in v1.27+; use the "seccompProfile" field instead`)
  }
  warnOfContainers(metadata, spec, template, warnings)
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    const text = 'must be >= 0; negative values are invalid and will be treated as 1'
    warnings.add(`${field}.terminationGracePeriodSeconds: ${text}`)
  }
  warnOfAffinity(spec.affinity?.podAffinity, `${field}.affinity.podAffinity`, warnings)
  warnOfAffinity(spec.affinity?.podAntiAffinity, `${field}.affinity.podAntiAffinity`, warnings)
  warnOfAddresses(spec, field, warnings)
}

/** Warns of a pod template at its field. */
export function warnOfTemplate({ metadata, spec }: PodTemplateSpec, field: string, warnings: WarningRecorder): void {
  warnOfSpec(metadata, spec, field, warnings)
}

function warnOfStatus({ status }: Pod, warnings: WarningRecorder): void {
  for (const name of ['podIPs', 'hostIPs'] as const) {
    for (const [index, { ip = '' }] of (status[name] ?? []).entries()) warnOfIp(ip, `status.${name}[${index}].ip`, warnings)
  }
}

const warnOfNewPod = forMainResource<Pod>(({ metadata, spec }, old, warnings) => {
  if (old !== undefined) return
  warnOfName(metadata, "the Pod's hostname", warnings)
  warnOfSpec(metadata, spec, '', warnings)
})

/** Warns of new Pods only, because most fields of a Pod cannot change. */
export const warnOfPod: Warn = (write, warnings) => {
  if (write.subresource === 'status') warnOfStatus(write.object as Pod, warnings)
  else warnOfNewPod(write, warnings)
}
