/** The strategy of Jobs: generates a selector and labels from the Job's uid. */
import type { Job } from '../../../catalog/generated/types/batch.v1.ts'
import { validateJob, validateJobUpdate } from '../../../catalog/validation/batch/job.ts'
import { sortedKeys } from '../../../go/sorted-keys.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { withValidation } from '../with-validation.ts'

const uidLabel = 'batch.kubernetes.io/controller-uid'

function generateSelector({ metadata, spec }: Job, isNameGenerated: boolean): void {
  const { name = '', uid = '' } = metadata
  const template = spec.template.metadata
  const hadLabels = Object.keys(metadata.labels ?? {}).length > 0
  const generated = { 'job-name': name, 'batch.kubernetes.io/job-name': name, 'controller-uid': uid, [uidLabel]: uid }
  const ownLabels = sameLabels(metadata.labels, template.labels)
  // A Job without labels gets the labels of its template. If its name is generated, without the labels that are added here.
  if (!hadLabels && isNameGenerated && template.labels !== undefined) metadata.labels = { ...template.labels }
  template.labels = sortedKeys({ ...generated, ...template.labels })
  if (ownLabels && !isNameGenerated) metadata.labels = { ...template.labels }
  spec.selector = { ...spec.selector, matchLabels: sortedKeys({ [uidLabel]: uid, ...spec.selector?.matchLabels }) }
}

const sameLabels = (a: Record<string, string> | undefined, b: Record<string, string> | undefined): boolean =>
  a !== undefined && JSON.stringify(a) === JSON.stringify(b)

export const jobHooks: StrategyHooks = {
  ...withValidation(validateJob, validateJobUpdate),
  prepareForCreate(object, { isNameGenerated }) {
    const job = object as Job
    if (job.spec.manualSelector !== true) generateSelector(job, isNameGenerated)
  },
  // The default of the labels is set when the stored Job is decoded again: admission does not see it.
  completeCreate(object, { isNameGenerated }) {
    const { metadata, spec } = object as Job
    const hasLabels = Object.keys(metadata.labels ?? {}).length > 0
    if (spec.manualSelector !== true && !isNameGenerated && !hasLabels) metadata.labels = { ...spec.template.metadata.labels }
  },
}
