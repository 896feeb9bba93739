/**
 * Checks of the counters in the status of workloads: they are not negative, a part does not exceed its whole, and collisionCount
 * does not decrease. Follows Validate…StatusUpdate of k8s.io/kubernetes/pkg/apis/{apps,core,autoscaling,policy}/validation.
 */
import type { FieldError } from '../../../meta/field-error.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { Condition } from '../../generated/types/meta.v1.ts'
import { Errors } from '../checks.ts'
import { checkConditions } from './conditions.ts'

/** The counters in the status of a kind. */
interface Counts {
  /** The names of the counters, in the order in which they are checked. */
  readonly counts: readonly string[]
  /** A counter, the counter that it must not exceed, and the name of the latter in messages. */
  readonly parts?: readonly (readonly [part: string, whole: string, name: string])[]
  readonly collisions?: true
  readonly conditions?: true
}

type Status = Readonly<Record<string, number | undefined>>

const withinReplicas = (...parts: readonly string[]): (readonly [string, string, string])[] =>
  parts.map((part) => [part, 'replicas', 'status.replicas'])

const replicaSet: Counts = {
  counts: ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration', 'terminatingReplicas'],
  parts: [
    ...withinReplicas('fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'),
    ['availableReplicas', 'readyReplicas', 'readyReplicas'],
  ],
}

const table = {
  'daemonsets.apps': {
    counts: [
      ...['currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled', 'numberReady', 'observedGeneration'],
      ...['updatedNumberScheduled', 'numberAvailable', 'numberUnavailable', 'collisionCount'],
    ],
    collisions: true,
  },
  'deployments.apps': {
    counts: [
      ...['observedGeneration', 'replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas', 'unavailableReplicas'],
      ...['terminatingReplicas', 'collisionCount'],
    ],
    parts: [
      ...withinReplicas('updatedReplicas', 'readyReplicas', 'availableReplicas'),
      ['availableReplicas', 'readyReplicas', 'readyReplicas'],
    ],
    collisions: true,
  },
  'horizontalpodautoscalers.autoscaling': { counts: ['currentReplicas', 'desiredReplicas'] },
  'poddisruptionbudgets.policy': {
    counts: ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'],
    conditions: true,
  },
  'replicasets.apps': replicaSet,
  replicationcontrollers: replicaSet,
  'statefulsets.apps': {
    counts: [
      ...['replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas', 'observedGeneration'],
      'collisionCount',
    ],
    parts: [
      ...withinReplicas('readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'),
      ['availableReplicas', 'readyReplicas', 'status.readyReplicas'],
    ],
    collisions: true,
  },
} as const satisfies Readonly<Record<string, Counts>>

/** The resources with counters in their status. */
export type CountedResource = keyof typeof table

const statusOf = (object: KubernetesObject): Status => (object.status ?? {}) as Status

function checkParts(parts: NonNullable<Counts['parts']>, status: Status, errors: Errors): void {
  for (const [part, whole, name] of parts) {
    const count = status[part] ?? 0
    if (count > (status[whole] ?? 0)) errors.invalid(`status.${part}`, count, `cannot be greater than ${name}`)
  }
}

const isForgotten = (count: number | undefined, before: number | undefined): boolean =>
  before !== undefined && (count === undefined || count < before)

/** Returns the validation of a status update for a resource. */
export function validateCounts(resource: CountedResource): (object: KubernetesObject, old: KubernetesObject) => FieldError[] {
  const { counts, parts = [], collisions, conditions }: Counts = table[resource]
  return (object, old) => {
    const status = statusOf(object)
    const errors = new Errors()
    if (conditions === true) {
      const { conditions: given = [] } = (object.status ?? {}) as { conditions?: Condition[] }
      checkConditions(given, 'status.conditions', errors)
    }
    for (const count of counts) errors.checkNonNegative(status[count], `status.${count}`)
    checkParts(parts, status, errors)
    if (collisions === true && isForgotten(status.collisionCount, statusOf(old).collisionCount)) {
      errors.invalid('status.collisionCount', status.collisionCount ?? 0, 'cannot be decremented')
    }
    return errors
  }
}
