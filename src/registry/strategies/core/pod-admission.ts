/**
 * What the admission plugins Priority and DefaultTolerationSeconds do to every Pod,
 * as far as it follows from the Pod alone.
 */
import type { Pod, PodSpec, Toleration } from '../../../catalog/shapes/pod.ts'
import { forbidden } from '../../../meta/errors.ts'

const pods = { group: '', resource: 'pods' }
const defaultPreemption = 'PreemptLowerPriority'
const defaultTolerationSeconds = 300

/** The priority classes that are always there. */
const systemPriorities: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
}

const unreachable = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']

function tolerates(toleration: Toleration, key: string): boolean {
  const { key: own = '', effect = '' } = toleration
  return (own === key || own === '') && (effect === 'NoExecute' || effect === '')
}

/** A Pod stays for five minutes on a node that is not ready or not reachable, unless it says otherwise. */
export function addTolerations(spec: PodSpec): void {
  const tolerations = spec.tolerations ?? []
  const missing = unreachable.filter((key) => !tolerations.some((toleration) => tolerates(toleration, key)))
  if (missing.length === 0) return
  spec.tolerations = [
    ...tolerations,
    ...missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: defaultTolerationSeconds })),
  ]
}

function setPriority(pod: Pod): void {
  const { spec, metadata } = pod
  const priority = systemPriorities[spec.priorityClassName ?? ''] ?? 0
  if (spec.priority !== undefined && spec.priority !== priority) {
    const why = `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`
    throw forbidden(pods, metadata.name ?? '', why)
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== defaultPreemption) {
    const why = `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${defaultPreemption} from the given PriorityClass name`
    throw forbidden(pods, metadata.name ?? '', why)
  }
  spec.priority = priority
  spec.preemptionPolicy = defaultPreemption
}

/**
 * Gives a new Pod its priority and tolerations.
 * @throws ApiError 403 where the Pod names a priority that is not its class's
 */
export function admitPod(pod: Pod): void {
  const { spec } = pod
  setPriority(pod)
  addTolerations(spec)
}
