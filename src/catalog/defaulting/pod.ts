/** Defaults of Pods and pod templates. Follows k8s.io/kubernetes/pkg/apis/core/v1/defaults.go. */

import type { JsonObject } from '../../go/json-value.ts'
import { ownValue } from '../../go/own-value.ts'
import { addQuantities, compareQuantities, roundUpQuantity } from '../../meta/quantity.ts'
import { imagePullPolicy } from './image.ts'
import { isZero, type Rule, type Rules, sequence, whenAbsent, whenZero } from './rule.ts'

interface Container extends JsonObject {
  image: string
  imagePullPolicy: string
  resources: Resources
  ports: { hostPort: number; containerPort: number }[]
}

type ResourceList = Record<string, string>

interface Resources extends JsonObject {
  limits: ResourceList
  requests: ResourceList
}

interface Pod extends JsonObject {
  spec: JsonObject & {
    hostNetwork: boolean
    containers: Container[] | null
    initContainers: Container[] | null
    resources: Resources
  }
}

const terminationMessage = whenZero({ terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' })

const container: Rule = (value: Container) => {
  terminationMessage(value)
  if (isZero(value.imagePullPolicy)) value.imagePullPolicy = imagePullPolicy(value.image ?? '')
}

const volume: Rule = (value) => {
  if (Object.keys(value).every((name) => name === 'name')) value.emptyDir = {}
}

/** Rounds quantities up to milli units. */
const resourceList: Rule = (value: ResourceList) => {
  for (const [name, amount] of Object.entries(value)) {
    if (/[nu]$|\.|[eE]-/.test(amount)) value[name] = roundUpQuantity(amount, -3)
  }
}

const imageVolume: Rule = (value: { reference: string; pullPolicy: string }) => {
  if (isZero(value.pullPolicy)) value.pullPolicy = imagePullPolicy(value.reference ?? '')
}

function requestsFromLimits({ resources }: Container): void {
  if (resources?.limits === undefined) return
  resources.requests = sorted({ ...resources.limits, ...resources.requests })
}

/** Sorts the keys of a map as Go encodes them. */
function sorted<V>(map: Record<string, V>): Record<string, V> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function hostPorts({ ports }: Container): void {
  for (const port of ports ?? []) if (isZero(port.hostPort)) port.hostPort = port.containerPort
}

const plus = (a: string | undefined, b: string): string => (a === undefined ? b : addQuantities(a, b))

/**
 * Returns the total of all containers: the sum of those that run side by side, or the largest need of the init containers if it
 * is larger.
 */
function totalOf({ containers, initContainers }: Pod['spec'], list: 'requests' | 'limits', name: string): string | undefined {
  let total: string | undefined
  let sidecars: string | undefined
  let most: string | undefined
  for (const { resources } of containers ?? []) {
    const amount = ownValue(resources?.[list], name)
    if (amount !== undefined) total = plus(total, amount)
  }
  for (const { resources, restartPolicy } of initContainers ?? []) {
    const amount = ownValue(resources?.[list], name)
    if (amount === undefined) continue
    const withSidecars = plus(sidecars, amount)
    if (restartPolicy === 'Always') {
      sidecars = withSidecars
      total = plus(total, amount)
    }
    if (most === undefined || compareQuantities(withSidecars, most) > 0) most = withSidecars
  }
  return total === undefined || (most !== undefined && compareQuantities(most, total) > 0) ? most : total
}

const isHugePages = (name: string): boolean => name.startsWith('hugepages-')

/** Sets the limits of huge pages in a Pod with resources of its own to the total of its containers. */
function podLimits({ spec }: Pod): void {
  const { resources } = spec
  if (resources === undefined) return
  const { limits = {}, requests = {} } = resources
  if (Object.keys(limits).length === 0 && Object.keys(requests).length === 0) return
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  const names = new Set(containers.flatMap((container) => Object.keys(container.resources?.limits ?? {})).filter(isHugePages))
  const missing = [...names].filter((name) => ownValue(limits, name) === undefined && ownValue(requests, name) === undefined)
  if (missing.length === 0) return
  const totals = missing.map((name) => [name, totalOf(spec, 'limits', name) ?? '0'] as const)
  resources.limits = sorted({ ...limits, ...Object.fromEntries(totals) })
}

/** Sets the requests of a Pod with limits of its own to the total of its containers, or else to its limits. */
function podRequests({ spec }: Pod): void {
  const { resources } = spec
  const limits = resources?.limits ?? {}
  if (Object.keys(limits).length === 0) return
  const requests: ResourceList = { ...resources.requests }
  for (const name of ['cpu', 'memory', ...Object.keys(limits).filter(isHugePages)]) {
    const containerTotal = isHugePages(name) ? undefined : totalOf(spec, 'requests', name)
    const amount = ownValue(requests, name) ?? containerTotal ?? ownValue(limits, name)
    if (amount !== undefined) requests[name] = amount
  }
  resources.requests = sorted(requests)
}

/** Sets the resources of a Pod with resources of its own that follow from those of its containers. */
export function setPodResources(pod: JsonObject): void {
  podLimits(pod as Pod)
  podRequests(pod as Pod)
}

/** Rules for Pods but not for pod templates. */
const pod: Rule = (value: Pod) => {
  const { spec } = value
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  containers.forEach(requestsFromLimits)
  setPodResources(value)
  spec.enableServiceLinks ??= true
  // Stored Pods may be older than the validation of this field: a negative grace period becomes one second.
  if (Number(spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1
  if (spec.hostNetwork === true) containers.forEach(hostPorts)
}

/** Keeps `serviceAccountName` and its deprecated alias `serviceAccount` equal. */
const sameServiceAccount: Rule = (spec: Pod['spec']) => {
  const name = spec.serviceAccountName || spec.serviceAccount
  if (!name) return
  spec.serviceAccountName = name
  spec.serviceAccount = name
}

const initAnnotations = ['alpha', 'beta'].flatMap((stage) =>
  ['init-containers', 'init-container-statuses'].map((name) => `pod.${stage}.kubernetes.io/${name}`),
)

/** Drops the annotations in which releases before 1.8 kept init containers (dropInitContainerAnnotations of conversion.go). */
const withoutInitAnnotations: Rule = ({ metadata }: { metadata?: { annotations?: Record<string, string> } }) => {
  const annotations = metadata?.annotations
  if (metadata === undefined || annotations === undefined || !initAnnotations.some((name) => Object.hasOwn(annotations, name)))
    return
  const kept = Object.entries(annotations).filter(([name]) => !initAnnotations.includes(name))
  if (kept.length > 0) metadata.annotations = Object.fromEntries(kept)
  else delete metadata.annotations
}

/** Rules for all kinds with a pod template. */
export const podRules: Rules = {
  'v1.Pod': sequence(pod, withoutInitAnnotations),
  'v1.PodTemplateSpec': withoutInitAnnotations,
  'v1.PodSpec': (spec) => {
    podSpecZero(spec)
    podSpecAbsent(spec)
    sameServiceAccount(spec)
  },
  'v1.Container': container,
  'v1.EphemeralContainer': container,
  'v1.Volume': volume,
  'v1.ImageVolumeSource': imageVolume,
  'v1.ResourceList': resourceList,
  'v1.ContainerPort': whenZero({ protocol: 'TCP' }),
  'v1.Probe': whenZero({ timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
  'v1.HTTPGetAction': whenZero({ path: '/', scheme: 'HTTP' }),
  'v1.SecretVolumeSource': whenAbsent({ defaultMode: 0o644 }),
  'v1.ConfigMapVolumeSource': whenAbsent({ defaultMode: 0o644 }),
  'v1.DownwardAPIVolumeSource': whenAbsent({ defaultMode: 0o644 }),
  'v1.ProjectedVolumeSource': whenAbsent({ defaultMode: 0o644 }),
  'v1.ServiceAccountTokenProjection': whenAbsent({ expirationSeconds: 3600 }),
  'v1.HostPathVolumeSource': whenAbsent({ type: '' }),
  'v1.ObjectFieldSelector': whenZero({ apiVersion: 'v1' }),
  'v1.PersistentVolumeClaimSpec': whenAbsent({ volumeMode: 'Filesystem' }),
}

const podSpecZero = whenZero({ dnsPolicy: 'ClusterFirst', restartPolicy: 'Always', schedulerName: 'default-scheduler' })
const podSpecAbsent = whenAbsent({ securityContext: {}, terminationGracePeriodSeconds: 30 })
