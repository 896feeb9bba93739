/** Defaults of Pods and of all that pod templates hold. Follows k8s.io/kubernetes/pkg/apis/core/v1/defaults.go. */
import type { JsonObject } from '../../meta/json-value.ts'
import { addQuantities, compareQuantities, roundUpQuantity } from '../../meta/quantity.ts'
import { imagePullPolicy } from './image.ts'
import { isZero, type Rule, type Rules, whenAbsent, whenZero } from './rule.ts'

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

/** Amounts are kept to a thousandth. */
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

/** Go writes the keys of maps in order. */
function sorted<V>(map: Record<string, V>): Record<string, V> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function hostPorts({ ports }: Container): void {
  for (const port of ports ?? []) if (isZero(port.hostPort)) port.hostPort = port.containerPort
}

/** What the containers request together: those that run side by side, or the largest that runs before them. */
function totalRequest({ containers, initContainers }: Pod['spec'], name: string): string | undefined {
  let total: string | undefined
  for (const { resources } of containers ?? []) {
    const amount = resources?.requests?.[name]
    if (amount !== undefined) total = total === undefined ? amount : addQuantities(total, amount)
  }
  for (const { resources } of initContainers ?? []) {
    const amount = resources?.requests?.[name]
    if (amount !== undefined && (total === undefined || compareQuantities(amount, total) > 0)) total = amount
  }
  return total
}

/** A Pod with limits of its own requests what its containers do, or as much as it may have. */
function podRequests({ spec }: Pod): void {
  const { resources } = spec
  const limits = resources?.limits ?? {}
  if (Object.keys(limits).length === 0) return
  const requests: ResourceList = { ...resources.requests }
  for (const name of ['cpu', 'memory']) {
    const amount = requests[name] ?? totalRequest(spec, name) ?? limits[name]
    if (amount !== undefined) requests[name] = amount
  }
  resources.requests = sorted(requests)
}

/** What holds for Pods but not for pod templates. */
const pod: Rule = (value: Pod) => {
  const { spec } = value
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  containers.forEach(requestsFromLimits)
  podRequests(value)
  spec.enableServiceLinks ??= true
  // What came before validation knew of it: a Pod that would end before it has begun ends at once.
  if (Number(spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1
  if (spec.hostNetwork === true) containers.forEach(hostPorts)
}

/** The account's name stands in two fields, of which one is an old name for the other. */
const sameServiceAccount: Rule = (spec: Pod['spec']) => {
  const name = spec.serviceAccountName || spec.serviceAccount
  if (!name) return
  spec.serviceAccountName = name
  spec.serviceAccount = name
}

/** Rules for whatever has a pod template in it. */
export const podRules: Rules = {
  'v1.Pod': pod,
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
