/** Warnings of networking, storage, discovery, and of kinds that describe nodes and devices. */
import type { LabelSelectorObject } from '../../meta/label-selector-object.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { WarningRecorder } from '../../meta/warnings.ts'
import type { EndpointSlice } from '../generated/types/discovery.v1.ts'
import type { Ingress, NetworkPolicy, NetworkPolicyPeer } from '../generated/types/networking.v1.ts'
import type { CSIDriver, StorageClass } from '../generated/types/storage.v1.ts'
import { warnOfCidr, warnOfIp } from './addresses.ts'
import { deprecatedLabels, warnOfRequirements } from './node-labels.ts'
import { forMainResource, type Warn } from './warn.ts'

function warnOfPeers(peers: readonly NetworkPolicyPeer[], field: string, warnings: WarningRecorder): void {
  for (const [index, { ipBlock }] of peers.entries()) {
    if (ipBlock === undefined) continue
    const at = `${field}[${index}].ipBlock`
    warnOfCidr(ipBlock.cidr, `${at}.cidr`, warnings)
    for (const [position, block] of (ipBlock.except ?? []).entries()) warnOfCidr(block, `${at}.except[${position}]`, warnings)
  }
}

export const warnOfNetworkPolicy = forMainResource<NetworkPolicy>(({ spec }, _old, warnings) => {
  for (const [index, { from = [] }] of (spec.ingress ?? []).entries()) warnOfPeers(from, `spec.ingress[${index}].from`, warnings)
  for (const [index, { to = [] }] of (spec.egress ?? []).entries()) warnOfPeers(to, `spec.egress[${index}].to`, warnings)
})

const ingressClass = 'kubernetes.io/ingress.class'

const warnOfNewIngress = forMainResource<Ingress>(({ metadata, spec }, old, warnings) => {
  if (old !== undefined || spec.ingressClassName !== undefined) return
  if (metadata.annotations?.[ingressClass] === undefined) return
  warnings.add(`annotation "${ingressClass}" is deprecated, please use 'spec.ingressClassName' instead`)
})

export const warnOfIngress: Warn = (write, warnings) => {
  if (write.subresource !== 'status') {
    warnOfNewIngress(write, warnings)
    return
  }
  for (const [index, { ip = '' }] of ((write.object as Ingress).status?.loadBalancer?.ingress ?? []).entries()) {
    if (ip !== '') warnOfIp(ip, `status.loadBalancer.ingress[${index}]`, warnings)
  }
}

const managedBy = 'endpointslice.kubernetes.io/managed-by'
const managers: readonly (string | undefined)[] = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io']

export const warnOfEndpointSlice = forMainResource<EndpointSlice>(({ metadata, addressType, endpoints }, old, warnings) => {
  if (old === undefined && addressType === 'FQDN') warnings.add('spec.addressType: FQDN endpoints are deprecated')
  if (managers.includes(metadata.labels?.[managedBy])) return
  for (const [index, { addresses }] of (endpoints ?? []).entries()) {
    for (const [at, address] of (addresses ?? []).entries()) warnOfIp(address, `endpoints[${index}].addresses[${at}]`, warnings)
  }
})

export const warnOfStorageClass = forMainResource<StorageClass>(({ allowedTopologies = [] }, _old, warnings) => {
  for (const [index, { matchLabelExpressions = [] }] of allowedTopologies.entries()) {
    for (const [at, { key }] of matchLabelExpressions.entries()) {
      const text = deprecatedLabels.get(key)
      if (text !== undefined) warnings.add(`allowedTopologies[${index}].matchLabelExpressions[${at}].key: ${text}`)
    }
  }
})

type StorageCapacity = KubernetesObject & { nodeTopology?: LabelSelectorObject }

export const warnOfStorageCapacity = forMainResource<StorageCapacity>(({ nodeTopology }, _old, warnings) => {
  warnOfRequirements(nodeTopology?.matchExpressions ?? [], 'nodeTopology', warnings)
  for (const label of Object.keys(nodeTopology?.matchLabels ?? {})) {
    const text = deprecatedLabels.get(label)
    if (text !== undefined) warnings.add(`nodeTopology.matchLabels.${label}: ${text}`)
  }
})

const tokensInSecrets =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes'

export const warnOfStorageDriver = forMainResource<CSIDriver>(({ spec }, old, warnings) => {
  const { tokenRequests = [], serviceAccountTokenInSecrets } = spec
  if (tokenRequests.length === 0 || serviceAccountTokenInSecrets !== undefined) return
  if (old === undefined || JSON.stringify(old.spec.tokenRequests) !== JSON.stringify(tokenRequests)) warnings.add(tokensInSecrets)
})

type RuntimeClass = KubernetesObject & { scheduling?: { nodeSelector?: Record<string, string> } }

export const warnOfRuntimeClass = forMainResource<RuntimeClass>(({ scheduling }, _old, warnings) => {
  for (const key of Object.keys(scheduling?.nodeSelector ?? {})) {
    const text = deprecatedLabels.get(key)
    if (text !== undefined) warnings.add(`scheduling.nodeSelector: ${text}`)
  }
})

export const warnOfResourceSlice = forMainResource<KubernetesObject & { spec: { driver: string } }>(
  ({ spec }, _old, warnings) => {
    if (spec.driver === spec.driver.toLowerCase()) return
    const text = `driver names should be lowercase; ${JSON.stringify(spec.driver)} contains uppercase characters`
    warnings.add(`spec.driver: ${text}`)
  },
)
