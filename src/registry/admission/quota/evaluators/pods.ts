/** Quota of Pods. Follows pods.go of k8s.io/kubernetes/pkg/quota/v1/evaluator/core. */

import type {
  Affinity,
  Container,
  Pod,
  PodAffinityTerm,
  ResourceRequirements,
} from '../../../../catalog/generated/types/core.v1.ts'
import { isExtended, isNative } from '../../../../catalog/validation/core/resource-names.ts'
import type { QuotaFacts, ResourceList } from '../../../../clusters/quota-messages.ts'
import type { KubernetesObject } from '../../../../meta/object-meta.ts'
import { qualityOfService } from '../../../strategies/core/pod-quality.ts'
import type { EvaluatedWrite, Evaluator } from '../evaluator.ts'
import { hasPodResources, limitsOf, requestsOf } from '../pod-resources.ts'

const computed = ['cpu', 'memory', 'ephemeral-storage'] as const

const tracked: ReadonlySet<string> = new Set([
  ...['count/pods', 'pods', ...computed],
  ...computed.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
])

const hugePages = 'hugepages-'
const requestsPrefix = 'requests.'
/** The prefix of the extended resource that stands for the devices of a class. */
const deviceClassPrefix = 'deviceclass.resource.kubernetes.io/'

/** The resources that each container has to specify if a quota limits them. */
const required = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'] as const

/** Whether a quota of this name limits an extended resource. */
export const isExtendedQuota = (name: string): boolean =>
  name.startsWith(requestsPrefix) && (!isNative(name) || name.startsWith(requestsPrefix + deviceClassPrefix))

const tracks = (name: string): boolean =>
  tracked.has(name) || name.startsWith(hugePages) || name.startsWith(requestsPrefix + hugePages) || isExtendedQuota(name)

/** Returns requests and limits under the names that quotas have for them. */
function quotaNames(requests: ResourceList = {}, limits: ResourceList = {}): ResourceList {
  const usage: Record<string, string> = { pods: '1' }
  for (const [name, amount] of Object.entries(requests)) {
    const isComputed = computed.some((each) => each === name)
    if (isComputed || name.startsWith(hugePages)) usage[name] = amount
    if (isComputed || name.startsWith(hugePages) || isExtended(name) || name.startsWith(deviceClassPrefix)) {
      usage[requestsPrefix + name] = amount
    }
  }
  for (const [name, amount] of Object.entries(limits)) {
    if (computed.some((each) => each === name)) usage[`limits.${name}`] = amount
  }
  return usage
}

const deadlineOf = (object: KubernetesObject): number => (object as Pod).spec.activeDeadlineSeconds ?? -1

/** Whether the Pod has a deadline (IsTerminating). */
const isTerminating = (object: KubernetesObject): boolean => deadlineOf(object) >= 0

/** Whether the Pod still occupies resources: not if it has ended, or if its grace period is over (QuotaV1Pod). */
function occupies({ metadata, status }: Pod, now: number): boolean {
  if (status.phase === 'Failed' || status.phase === 'Succeeded') return false
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true
  return now <= Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000
}

const crosses = ({ namespaces, namespaceSelector }: PodAffinityTerm): boolean =>
  (namespaces ?? []).length > 0 || namespaceSelector !== undefined

function crossesNamespaces({ podAffinity, podAntiAffinity }: Affinity): boolean {
  return [podAffinity, podAntiAffinity].some(
    (affinity) =>
      (affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).some(crosses) ||
      (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).some(({ podAffinityTerm }) => crosses(podAffinityTerm)),
  )
}

function unspecifiedIn(containers: readonly Container[]): Record<string, readonly string[]> {
  const unspecified: Record<string, readonly string[]> = {}
  for (const name of required) {
    const missing = containers.filter(({ resources }: { resources?: ResourceRequirements }) => {
      const usage = quotaNames(resources?.requests, resources?.limits)
      return !Object.hasOwn(usage, name)
    })
    if (missing.length > 0) unspecified[name] = [...new Set(missing.map((container) => container.name))].sort()
  }
  return unspecified
}

function factsOf(object: KubernetesObject, now: number): QuotaFacts {
  const pod = { ...object, status: object.status ?? {} } as Pod
  const { spec, status } = pod
  const isBestEffort = (status.qosClass || qualityOfService(spec)) === 'BestEffort'
  const { priorityClassName = '' } = spec
  const usage = occupies(pod, now) ? quotaNames(requestsOf(pod), limitsOf(pod)) : {}
  return {
    usage: { 'count/pods': '1', ...usage },
    scopes: {
      Terminating: isTerminating(pod),
      NotTerminating: !isTerminating(pod),
      BestEffort: isBestEffort,
      NotBestEffort: !isBestEffort,
      PriorityClass: priorityClassName === '' ? [] : [priorityClassName],
      CrossNamespacePodAffinity: crossesNamespaces(spec.affinity ?? {}),
    },
    ...(!hasPodResources(spec) && { unspecified: unspecifiedIn([...(spec.containers ?? []), ...(spec.initContainers ?? [])]) }),
  }
}

function handles({ operation, subresource, object, old }: EvaluatedWrite): boolean {
  if (subresource === 'resize') return operation === 'UPDATE'
  if (subresource !== '') return false
  return old === undefined || isTerminating(object) !== isTerminating(old)
}

/** The evaluator of Pods. */
export const pods: Evaluator = { tracks, handles, factsOf, counted: ['count/pods'], isByNumber: false }
