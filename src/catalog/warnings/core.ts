/** Warnings of the core group's kinds except Pods. */
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { compareQuantities } from '../../meta/quantity.ts'
import type { WarningRecorder } from '../../meta/warnings.ts'
import type * as corev1 from '../generated/types/core.v1.ts'
import { headless } from '../service-types.ts'
import { blocksOf } from '../validation/certificates/pem.ts'
import { warnOfCidr, warnOfIp } from './addresses.ts'
import { warnOfTerm } from './node-labels.ts'
import { warnOfTemplate } from './pod.ts'
import { warnOfClaim } from './pod-volumes.ts'
import { forMainResource, type Warn, warnOfName } from './warn.ts'

const topologyHints = 'service.kubernetes.io/topology-aware-hints'
const topologyMode = 'service.kubernetes.io/topology-mode'
const betaClass = 'volume.beta.kubernetes.io/storage-class'
const betaOptions = 'volume.beta.kubernetes.io/mount-options'

function warnOfHeadless({ spec }: corev1.Service, warnings: WarningRecorder): void {
  if ((spec.loadBalancerIP ?? '') !== '') warnings.add('spec.loadBalancerIP is ignored for headless services')
  if ((spec.externalIPs ?? []).length > 0) warnings.add('spec.externalIPs is ignored for headless services')
  if (spec.sessionAffinity !== 'None') warnings.add('spec.SessionAffinity is ignored for headless services')
}

function warnOfServiceAddresses({ spec }: corev1.Service, isHeadless: boolean, warnings: WarningRecorder): void {
  const { externalIPs = [], loadBalancerIP = '', loadBalancerSourceRanges = [] } = spec
  for (const [index, address] of externalIPs.entries()) warnOfIp(address, `spec.externalIPs[${index}]`, warnings)
  if (externalIPs.length > 0 && !isHeadless && spec.type !== 'ExternalName') {
    warnings.add('spec.externalIPs is deprecated and may no longer be implemented in some clusters')
  }
  if (loadBalancerIP !== '') warnOfIp(loadBalancerIP, 'spec.loadBalancerIP', warnings)
  for (const [index, block] of loadBalancerSourceRanges.entries()) {
    warnOfCidr(block, `spec.loadBalancerSourceRanges[${index}]`, warnings)
  }
  if (spec.type === 'ExternalName' && externalIPs.length > 0) {
    warnings.add('spec.externalIPs is ignored when spec.type is "ExternalName"')
  }
}

const warnOfServiceSpec = forMainResource<corev1.Service>((service, _old, warnings) => {
  const { metadata, spec } = service
  if (metadata.annotations?.[topologyHints] !== undefined) {
    warnings.add(`annotation ${topologyHints} is deprecated, please use ${topologyMode} instead`)
  }
  const { clusterIP = '', clusterIPs = [], type, externalName = '', trafficDistribution } = spec
  if (clusterIP !== '' && clusterIP !== headless) {
    for (const [index, address] of clusterIPs.entries()) warnOfIp(address, `spec.clusterIPs[${index}]`, warnings)
  }
  const isHeadless = type === 'ClusterIP' && clusterIP === headless
  if (isHeadless) warnOfHeadless(service, warnings)
  warnOfServiceAddresses(service, isHeadless, warnings)
  if (type !== 'ExternalName' && externalName !== '') {
    warnings.add('spec.externalName is ignored when spec.type is not "ExternalName"')
  }
  if (trafficDistribution === 'PreferClose') {
    warnings.add('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"')
  }
})

export const warnOfService: Warn = (write, warnings) => {
  if (write.subresource !== 'status') {
    warnOfServiceSpec(write, warnings)
    return
  }
  for (const [index, { ip = '' }] of ((write.object as corev1.Service).status.loadBalancer.ingress ?? []).entries()) {
    if (ip !== '') warnOfIp(ip, `status.loadBalancer.ingress[${index}]`, warnings)
  }
}

/** Returns the types of the blocks of a PEM text. */
const pemTypes = (base64 = ''): string[] => [...blocksOf(atob(base64))].map(({ label }) => label)

function pemProblem(
  types: readonly string[],
  isWanted: (type: string) => boolean,
  block: string,
  input: string,
): string | undefined {
  if (types.some(isWanted)) return undefined
  if (types.length === 0) return `tls: failed to find any PEM data in ${input} input`
  if (input === 'certificate' && types.length === 1 && (types[0] ?? '').endsWith('PRIVATE KEY')) {
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched'
  }
  if (input === 'key' && types.length === 1 && types[0] === 'CERTIFICATE') {
    return 'tls: found a certificate rather than a key in the PEM for the private key'
  }
  return `tls: failed to find ${block} in ${input} input after skipping PEM blocks of the following types: [${types.join(' ')}]`
}

/** Checks only the PEM envelopes of the certificate and its key. */
export const warnOfSecret = forMainResource<corev1.Secret>(({ type, data = {} }, _old, warnings) => {
  if (type !== 'kubernetes.io/tls') return
  const isKey = (block: string): boolean => block === 'PRIVATE KEY' || block.endsWith(' PRIVATE KEY')
  const isCertificate = (block: string): boolean => block === 'CERTIFICATE'
  const problem =
    pemProblem(pemTypes(data['tls.crt']), isCertificate, '"CERTIFICATE" PEM block', 'certificate') ??
    pemProblem(pemTypes(data['tls.key']), isKey, 'PEM block with type ending in "PRIVATE KEY"', 'key')
  if (problem !== undefined) warnings.add(problem)
})

/** Resources whose requests a quota should not limit less than their limits, with the names of both limits in a quota. */
const limited = [
  { requests: ['requests.cpu', 'cpu'], limits: 'limits.cpu' },
  { requests: ['requests.memory', 'memory'], limits: 'limits.memory' },
  { requests: ['requests.ephemeral-storage'], limits: 'limits.ephemeral-storage' },
]

export const warnOfResourceQuota = forMainResource<corev1.ResourceQuota>(({ spec: { hard = {} } }, old, warnings) => {
  if (old !== undefined) return
  for (const { requests, limits } of limited) {
    const name = requests.find((candidate) => hard[candidate] !== undefined) ?? ''
    const [request, limit] = [hard[name], hard[limits]]
    if (request === undefined || limit === undefined || compareQuantities(request, limit) <= 0) continue
    warnings.add(`ResourceQuota ${name} (${request}) should be less than ${limits} (${limit})`)
  }
})

export const warnOfNode = forMainResource<corev1.Node>(({ spec }, _old, warnings) => {
  if (spec.configSource !== undefined) warnings.add('spec.configSource: the feature is removed')
  if ((spec.externalID ?? '') !== '') warnings.add('spec.externalID: this field is deprecated, and is unused by Kubernetes')
  for (const [index, block] of (spec.podCIDRs ?? []).entries()) warnOfCidr(block, `spec.podCIDRs[${index}]`, warnings)
})

const mountableSecrets = 'kubernetes.io/enforce-mountable-secrets'

/** Warns a client that sets or changes the annotation, but not one that keeps it. */
export const warnOfServiceAccount = forMainResource<KubernetesObject>(({ metadata }, old, warnings) => {
  if (metadata.annotations?.[mountableSecrets] === undefined || old?.metadata.annotations?.[mountableSecrets] !== undefined)
    return
  const text = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets'
  warnings.add(`metadata.annotations[${mountableSecrets}]: ${text}`)
})

/**
 * Deprecated sources, in kube-apiserver's order: the field, its name in the message, and the releases in which it was deprecated
 * and became non-functional.
 */
const deprecatedSources: readonly (readonly [
  field: keyof corev1.PersistentVolumeSpec,
  messageName: string,
  since: string,
  nonFunctional: string,
])[] = [
  ['cephfs', 'cephfs', '1.28', '1.31'],
  ['photonPersistentDisk', 'photonPersistentDisk', '1.11', '1.16'],
  ['scaleIO', 'scaleIO', '1.16', '1.22'],
  ['storageos', 'storageOS', '1.22', '1.25'],
  ['glusterfs', 'glusterfs', '1.25', '1.26'],
  ['rbd', 'rbd', '1.28', '1.31'],
]

export const warnOfPersistentVolume = forMainResource<corev1.PersistentVolume>(({ metadata, spec }, _old, warnings) => {
  const at = 'metadata.annotations'
  if (metadata.annotations?.[betaClass] !== undefined) {
    warnings.add(`${at}[${betaClass}]: deprecated since v1.8; use "storageClassName" attribute instead`)
  }
  if (metadata.annotations?.[betaOptions] !== undefined) {
    warnings.add(`${at}[${betaOptions}]: deprecated since v1.31; use "mountOptions" attribute instead`)
  }
  if (spec.persistentVolumeReclaimPolicy === 'Recycle') {
    const text = 'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.'
    warnings.add(`spec.persistentVolumeReclaimPolicy: ${text}`)
  }
  for (const [index, term] of (spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).entries()) {
    warnOfTerm(term, 'validated', `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`, warnings)
  }
  for (const [field, messageName, since, nonFunctional] of deprecatedSources) {
    if (spec[field] !== undefined)
      warnings.add(`spec.${messageName}: deprecated in v${since}, non-functional in v${nonFunctional}+`)
  }
})

export const warnOfPersistentVolumeClaim = forMainResource<KubernetesObject & { spec: corev1.PersistentVolumeClaimSpec }>(
  ({ metadata, spec }, _old, warnings) => {
    if (metadata.annotations?.[betaClass] !== undefined) {
      const text = 'deprecated since v1.8; use "storageClassName" attribute instead'
      warnings.add(`metadata.annotations[${betaClass}]: ${text}`)
    }
    warnOfClaim(spec, 'spec', warnings)
  },
)

export const warnOfEndpoints = forMainResource<KubernetesObject & { subsets?: corev1.EndpointSubset[] }>(
  ({ metadata, subsets }, _old, warnings) => {
    if (metadata.labels?.['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller') return
    for (const [index, subset] of (subsets ?? []).entries()) {
      for (const name of ['addresses', 'notReadyAddresses'] as const) {
        for (const [at, { ip }] of (subset[name] ?? []).entries()) warnOfIp(ip, `subsets[${index}].${name}[${at}].ip`, warnings)
      }
    }
  },
)

export const warnOfPodTemplate = forMainResource<KubernetesObject & { template: corev1.PodTemplateSpec }>(
  ({ metadata, template }, old, warnings) => {
    if (old?.metadata.generation !== metadata.generation) warnOfTemplate(template, 'template', warnings)
  },
)

type Controller = KubernetesObject & { spec: { template?: corev1.PodTemplateSpec } }

/** On an update, the warnings are those of the old template, as upstream. */
export const warnOfReplicationController = forMainResource<Controller>(({ metadata, spec }, old, warnings) => {
  if (old === undefined) warnOfName(metadata, 'Pod names and hostnames', warnings)
  else if (old.metadata.generation === metadata.generation) return
  const template = (old ?? { spec }).spec.template
  if (template !== undefined) warnOfTemplate(template, 'spec.template', warnings)
})
