/** Warnings of the groups apps and batch, about their pod templates, for a new object or a change of it. */
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { WarningRecorder } from '../../meta/warnings.ts'
import { templateGeneration } from '../defaulting/deprecated-annotations.ts'
import type { StatefulSet } from '../generated/types/apps.v1.ts'
import type { JobSpec } from '../generated/types/batch.v1.ts'
import type { PodTemplateSpec } from '../generated/types/core.v1.ts'
import { warnOfTemplate } from './pod.ts'
import { warnOfClaim } from './pod-volumes.ts'
import { forMainResource, warnOfName } from './warn.ts'

type Workload = KubernetesObject & { spec: { template: PodTemplateSpec } }

const isSameGeneration = ({ metadata }: KubernetesObject, old: KubernetesObject | undefined): boolean =>
  old !== undefined && old.metadata.generation === metadata.generation

const podNames = 'Pod names and hostnames'

/** The warnings of Deployments and ReplicaSets. */
export const warnOfReplicas = forMainResource<Workload>((object, old, warnings) => {
  if (old === undefined) warnOfName(object.metadata, podNames, warnings)
  if (!isSameGeneration(object, old)) warnOfTemplate(object.spec.template, 'spec.template', warnings)
})

const templateVersion = ({ metadata }: KubernetesObject): string | undefined => metadata.annotations?.[templateGeneration]

export const warnOfDaemonSet = forMainResource<Workload>((object, old, warnings) => {
  if (old !== undefined && templateVersion(old) === templateVersion(object)) return
  warnOfTemplate(object.spec.template, 'spec.template', warnings)
})

export const warnOfStatefulSet = forMainResource<StatefulSet>((object, old, warnings) => {
  const { template, volumeClaimTemplates = [], revisionHistoryLimit = 0 } = object.spec
  if (!isSameGeneration(object, old)) warnOfTemplate(template, 'spec.template', warnings)
  for (const [index, { spec }] of volumeClaimTemplates.entries()) {
    const at = `spec.volumeClaimTemplates[${index}]`
    warnOfClaim(spec, old === undefined ? at : `${at}.Spec`, warnings)
  }
  if (revisionHistoryLimit < 0) {
    const text = 'a negative value retains all historical revisions; a value >= 0 is recommended'
    warnings.add(`spec.revisionHistoryLimit: ${text}`)
  }
})

const manyCompletions = 100_000
const manyAtOnce = 10_000

function warnOfJobSpec(spec: JobSpec, field: string, warnings: WarningRecorder): void {
  const { completionMode, completions = 0, parallelism = 0 } = spec
  if (completionMode === 'Indexed' && completions > manyCompletions && parallelism > manyAtOnce) {
    const text =
      'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail'
    warnings.add(`${field}: ${text}`)
  }
  warnOfTemplate(spec.template, `${field}.template`, warnings)
}

export const warnOfJob = forMainResource<KubernetesObject & { spec: JobSpec }>((object, old, warnings) => {
  if (old === undefined) warnOfName(object.metadata, podNames, warnings)
  if (!isSameGeneration(object, old)) warnOfJobSpec(object.spec, 'spec', warnings)
})

type CronJob = KubernetesObject & { spec: { schedule: string; jobTemplate: { spec: JobSpec } } }

export const warnOfCronJob = forMainResource<CronJob>((object, old, warnings) => {
  if (old === undefined) warnOfName(object.metadata, podNames, warnings)
  if (!isSameGeneration(object, old)) warnOfJobSpec(object.spec.jobTemplate.spec, 'spec.jobTemplate.spec', warnings)
  if (old === undefined || !object.spec.schedule.includes('TZ')) return
  const documentation = 'https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/'
  warnings.add(`cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see ${documentation} for more details`)
})
