/** Defaults of the groups apps and batch. Follows k8s.io/kubernetes/pkg/apis/{apps,batch}/v1/defaults.go. */

import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import type { Job } from '../generated/types/batch.v1.ts'
import { daemonSetAnnotation, deploymentAnnotation } from './deprecated-annotations.ts'
import { isAbsent, isZero, type Rule, type Rules, ruleFor, sequence, whenAbsent, whenZero } from './rule.ts'

/**
 * Returns a rule for an update strategy: RollingUpdate by default, with these defaults for its fields. In a strategy of another
 * type they are zero: kube-apiserver's internal type does not have them behind pointers.
 */
export function rolling(rollingUpdate: JsonObject): Rule {
  const zeros = Object.fromEntries(Object.keys(rollingUpdate).map((name) => [name, 0]))
  return (strategy) => {
    if (isZero(strategy.type)) strategy.type = 'RollingUpdate'
    if (strategy.type === 'RollingUpdate') strategy.rollingUpdate = filledInOrder(rollingUpdate, strategy.rollingUpdate)
    else if (!isAbsent(strategy.rollingUpdate)) strategy.rollingUpdate = filledInOrder(zeros, strategy.rollingUpdate)
  }
}

/** Fills absent fields with these values, which are the first fields of the struct in Go's order. */
function filledInOrder(values: JsonObject, current: JsonValue | undefined): JsonObject {
  const filled = { ...values, ...(current as JsonObject | null | undefined) }
  for (const [name, value] of Object.entries(values)) if (isAbsent(filled[name])) filled[name] = value
  return filled
}

/** Defaults a StatefulSet's strategy. One with an explicit type RollingUpdate gets no rollingUpdate. */
const statefulSetStrategy: Rule = (strategy) => {
  if (isZero(strategy.type)) {
    strategy.type = 'RollingUpdate'
    strategy.rollingUpdate ??= {}
  }
  if (!isAbsent(strategy.rollingUpdate)) strategy.rollingUpdate = filledInOrder({ partition: 0 }, strategy.rollingUpdate)
}

/** Defaults a DaemonSet's strategy. The internal version has no pointers, so an OnDelete strategy's rollingUpdate gets zeros. */
const daemonSetStrategy: Rule = (strategy) => {
  rolling({ maxUnavailable: 1, maxSurge: 0 })(strategy)
  if (!isAbsent(strategy.rollingUpdate))
    strategy.rollingUpdate = filledInOrder({ maxUnavailable: 0, maxSurge: 0 }, strategy.rollingUpdate)
}

/** Sets apiVersion and kind of a claim in a template. */
function nameClaim(claim: JsonObject): void {
  const { kind: _kind, apiVersion: _apiVersion, ...fields } = claim
  for (const name of Object.keys(claim)) delete claim[name]
  Object.assign(claim, { kind: 'PersistentVolumeClaim', apiVersion: 'v1' }, fields)
}

const workload = { replicas: 1, revisionHistoryLimit: 10 }

/** Rules of the group apps. */
export const appsRules: Rules = {
  'v1.Deployment': deploymentAnnotation,
  'v1.DeploymentSpec': whenAbsent({ ...workload, progressDeadlineSeconds: 600 }),
  'v1.DeploymentStrategy': rolling({ maxUnavailable: '25%', maxSurge: '25%' }),
  'v1.DaemonSet': daemonSetAnnotation,
  'v1.DaemonSetSpec': whenAbsent({ revisionHistoryLimit: 10 }),
  'v1.DaemonSetUpdateStrategy': daemonSetStrategy,
  'v1.StatefulSetSpec': sequence(
    whenZero({ podManagementPolicy: 'OrderedReady' }),
    whenAbsent({ ...workload, persistentVolumeClaimRetentionPolicy: {} }),
    (spec) => {
      for (const claim of (spec.volumeClaimTemplates ?? []) as JsonObject[]) nameClaim(claim)
    },
  ),
  'v1.StatefulSetUpdateStrategy': statefulSetStrategy,
  'v1.StatefulSetPersistentVolumeClaimRetentionPolicy': whenZero({ whenDeleted: 'Retain', whenScaled: 'Retain' }),
  'v1.ReplicaSetSpec': whenAbsent({ replicas: 1 }),
}

const maximumInt32 = 2 ** 31 - 1

const jobAbsent = whenAbsent({ completionMode: 'NonIndexed', suspend: false, manualSelector: false })

/** Rules for Jobs but not for the job templates of CronJobs. */
const job = ruleFor<Job>(({ metadata, spec }) => {
  if (isAbsent(spec.completions) && isAbsent(spec.parallelism)) spec.completions = 1
  spec.parallelism ??= 1
  spec.backoffLimit ??= isAbsent(spec.backoffLimitPerIndex) ? 6 : maximumInt32
  const { labels } = spec.template.metadata
  if (labels !== undefined && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = labels
  spec.podReplacementPolicy ??= isAbsent(spec.podFailurePolicy) ? 'TerminatingOrFailed' : 'Failed'
  jobAbsent(spec as unknown as JsonObject)
})

/** Rules of the group batch. */
export const batchRules: Rules = {
  'v1.Job': job,
  'v1.CronJobSpec': sequence(
    whenZero({ concurrencyPolicy: 'Allow' }),
    whenAbsent({ suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 }),
  ),
  'v1.PodFailurePolicyOnPodConditionsPattern': whenZero({ status: 'True' }),
}
