/** Defaults of the core group except Pods. Follows k8s.io/kubernetes/pkg/apis/core/v1/defaults.go. */
import type { JsonObject } from '../../go/json-value.ts'
import { sortedKeys } from '../../go/sorted-keys.ts'
import type { LimitRangeItem, Namespace, ReplicationController, Service, ServiceSpec } from '../generated/types/core.v1.ts'
import { podRules } from './pod.ts'
import { isAbsent, isZero, type Rule, type Rules, ruleFor, sequence, whenAbsent, whenZero } from './rule.ts'

type Labels = Record<string, string>

/** Labels a Namespace with its name, so that label selectors can select it by name. */
const namespace = ruleFor<Namespace>(({ metadata }) => {
  const { name = '' } = metadata
  if (name !== '') metadata.labels = sortedKeys({ ...metadata.labels, 'kubernetes.io/metadata.name': name })
})

const replicationController = ruleFor<ReplicationController>(({ metadata, spec }) => {
  const labels = spec.template?.metadata.labels
  if (labels === undefined) return
  if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels }
  if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels }
})

const affinitySeconds = 10800

function sessionAffinity(spec: ServiceSpec): void {
  if (isZero(spec.sessionAffinity)) spec.sessionAffinity = 'None'
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig
  if (spec.sessionAffinity !== 'ClientIP') return
  if (isAbsent(spec.sessionAffinityConfig?.clientIP?.timeoutSeconds)) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: affinitySeconds } }
  }
}

const externalTypes: ReadonlySet<string> = new Set(['NodePort', 'LoadBalancer'])
const clusterTypes: ReadonlySet<string> = new Set(['ClusterIP', 'NodePort', 'LoadBalancer'])

const serviceSpec = ruleFor<ServiceSpec>((spec) => {
  sessionAffinity(spec)
  const type = spec.type || 'ClusterIP'
  spec.type = type
  const hasExternalIps = type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0
  if ((externalTypes.has(type) || hasExternalIps) && isZero(spec.externalTrafficPolicy)) spec.externalTrafficPolicy = 'Cluster'
  if (clusterTypes.has(type)) spec.internalTrafficPolicy ??= 'Cluster'
  if (type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true
})

const service = ruleFor<Service>(({ spec, status }) => {
  if (spec.type !== 'LoadBalancer') return
  for (const ingress of status.loadBalancer.ingress ?? []) {
    if (isZero(ingress.ip) || ingress.ipMode !== undefined) continue
    ingress.ipMode = 'VIP'
    const { ports } = ingress
    if (ports === undefined) continue
    // The walk orders only the fields of the Service itself.
    delete ingress.ports
    ingress.ports = ports
  }
})

const servicePort: Rule = (port) => {
  if (isZero(port.protocol)) port.protocol = 'TCP'
  if (isZero(port.targetPort)) port.targetPort = port.port ?? 0
}

/** Keeps `podCIDR` and the first entry of `podCIDRs` equal. */
const nodeSpec: Rule = (spec: JsonObject & { podCIDR: string; podCIDRs: string[] }) => {
  const [first] = spec.podCIDRs ?? []
  if (isZero(spec.podCIDR)) {
    if (first !== undefined) spec.podCIDR = first
  } else if (first !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR]
}

const nodeStatus: Rule = (status) => {
  if (isAbsent(status.allocatable) && !isAbsent(status.capacity)) status.allocatable = { ...(status.capacity as JsonObject) }
}

/** Converts `stringData`, a write-only field, to `data`. */
const stringData: Rule = (secret) => {
  if (isAbsent(secret.stringData)) return
  const encoded = Object.entries(secret.stringData as Labels).map(([key, text]) => [key, base64(text)] as const)
  secret.data = sortedKeys({ ...(secret.data as Labels | undefined), ...Object.fromEntries(encoded) })
  delete secret.stringData
}

function base64(text: string): string {
  let bytes = ''
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte)
  return btoa(bytes)
}

/** Fills a map. An empty map is not written because of omitempty. */
function fillMap(item: LimitRangeItem, name: 'default' | 'defaultRequest', ...from: readonly (Labels | undefined)[]): void {
  const filled = sortedKeys(Object.assign({}, ...[...from].reverse(), item[name]) as Labels)
  if (Object.keys(filled).length > 0) item[name] = filled
}

const limitRangeItem = ruleFor<LimitRangeItem>((item) => {
  if (item.type !== 'Container') return
  fillMap(item, 'default', item.max)
  fillMap(item, 'defaultRequest', item.default, item.min)
})

/** Rules of the core group, which also apply to pod templates and claims in other groups. */
export const coreRules: Rules = {
  ...podRules,
  'v1.Namespace': namespace,
  'v1.NamespaceStatus': whenZero({ phase: 'Active' }),
  'v1.ReplicationController': replicationController,
  'v1.Service': service,
  'v1.ServiceSpec': serviceSpec,
  'v1.ServicePort': servicePort,
  'v1.Secret': sequence(whenZero({ type: 'Opaque' }), stringData),
  'v1.PersistentVolumeSpec': (spec) => {
    volumeReclaim(spec)
    volumeMode(spec)
  },
  'v1.PersistentVolumeStatus': whenZero({ phase: 'Pending' }),
  'v1.PersistentVolumeClaimStatus': whenZero({ phase: 'Pending' }),
  'v1.EndpointPort': whenZero({ protocol: 'TCP' }),
  'v1.NodeSpec': nodeSpec,
  'v1.NodeStatus': nodeStatus,
  'v1.LimitRangeItem': limitRangeItem,
}

const volumeReclaim = whenZero({ persistentVolumeReclaimPolicy: 'Retain' })
const volumeMode = whenAbsent({ volumeMode: 'Filesystem' })
