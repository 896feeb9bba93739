/** Defaults of the core group besides Pods. Follows k8s.io/kubernetes/pkg/apis/core/v1/defaults.go. */
import type { JsonObject } from '../../go/json-value.ts'
import { sortedKeys } from '../../go/sorted-keys.ts'
import { podRules } from './pod.ts'
import { inTurn, isAbsent, isZero, type Rule, type Rules, whenAbsent, whenZero } from './rule.ts'

type Labels = Record<string, string>

interface Metadata extends JsonObject {
  name: string
  labels: Labels
}

/** A Namespace is labelled with its name, so that selectors may name it. */
const namespace: Rule = ({ metadata }: { metadata: Metadata }) => {
  if (isZero(metadata.name)) return
  metadata.labels = sortedKeys({ ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name })
}

interface ReplicationController extends JsonObject {
  metadata: Metadata
  spec: { selector: Labels; template: { metadata: Metadata } }
}

const replicationController: Rule = ({ metadata, spec }: ReplicationController) => {
  const labels = spec.template?.metadata.labels
  if (labels === undefined) return
  if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels }
  if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels }
}

interface ServiceSpec extends JsonObject {
  type: string
  sessionAffinity: string
  externalTrafficPolicy: string
  externalIPs: string[]
}

const affinitySeconds = 10800

function sessionAffinity(spec: ServiceSpec): void {
  if (isZero(spec.sessionAffinity)) spec.sessionAffinity = 'None'
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig
  if (spec.sessionAffinity !== 'ClientIP') return
  const config = spec.sessionAffinityConfig as { clientIP?: { timeoutSeconds?: number } } | undefined
  if (isAbsent(config?.clientIP?.timeoutSeconds)) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: affinitySeconds } }
  }
}

const externalTypes: ReadonlySet<string> = new Set(['NodePort', 'LoadBalancer'])
const clusterTypes: ReadonlySet<string> = new Set(['ClusterIP', 'NodePort', 'LoadBalancer'])

const serviceSpec: Rule = (spec: ServiceSpec) => {
  sessionAffinity(spec)
  if (isZero(spec.type)) spec.type = 'ClusterIP'
  const hasExternalIps = spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0
  if ((externalTypes.has(spec.type) || hasExternalIps) && isZero(spec.externalTrafficPolicy)) {
    spec.externalTrafficPolicy = 'Cluster'
  }
  if (clusterTypes.has(spec.type)) spec.internalTrafficPolicy ??= 'Cluster'
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true
}

interface Service extends JsonObject {
  spec: ServiceSpec
  status: { loadBalancer: { ingress: { ip: string; ipMode: string }[] } }
}

const service: Rule = ({ spec, status }: Service) => {
  if (spec.type !== 'LoadBalancer') return
  for (const ingress of status.loadBalancer.ingress ?? []) if (!isZero(ingress.ip)) ingress.ipMode ??= 'VIP'
}

const servicePort: Rule = (port) => {
  if (isZero(port.protocol)) port.protocol = 'TCP'
  if (isZero(port.targetPort)) port.targetPort = port.port ?? 0
}

/** The block of a node and the first of its blocks are one. */
const nodeSpec: Rule = (spec: JsonObject & { podCIDR: string; podCIDRs: string[] }) => {
  const [first] = spec.podCIDRs ?? []
  if (isZero(spec.podCIDR)) {
    if (first !== undefined) spec.podCIDR = first
  } else if (first !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR]
}

const nodeStatus: Rule = (status) => {
  if (isAbsent(status.allocatable) && !isAbsent(status.capacity)) status.allocatable = { ...(status.capacity as JsonObject) }
}

interface LimitRangeItem extends JsonObject {
  type: string
  max: Labels
  min: Labels
  default: Labels
  defaultRequest: Labels
}

/** What is written as text becomes data: the field is for writing only. */
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

/** An empty map behind omitempty is not written. */
function fillMap(item: LimitRangeItem, name: 'default' | 'defaultRequest', ...from: readonly (Labels | undefined)[]): void {
  const filled = sortedKeys(Object.assign({}, ...[...from].reverse(), item[name]) as Labels)
  if (Object.keys(filled).length > 0) item[name] = filled
}

const limitRangeItem: Rule = (item: LimitRangeItem) => {
  if (item.type !== 'Container') return
  fillMap(item, 'default', item.max)
  fillMap(item, 'defaultRequest', item.default, item.min)
}

/** Rules of the core group, which every group takes part in through pod templates and claims. */
export const coreRules: Rules = {
  ...podRules,
  'v1.Namespace': namespace,
  'v1.NamespaceStatus': whenZero({ phase: 'Active' }),
  'v1.ReplicationController': replicationController,
  'v1.Service': service,
  'v1.ServiceSpec': serviceSpec,
  'v1.ServicePort': servicePort,
  'v1.Secret': inTurn(whenZero({ type: 'Opaque' }), stringData),
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
