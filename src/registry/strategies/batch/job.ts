/** The strategy of Jobs: generates a selector and labels from the Job's uid. */
import type { Job } from '../../../catalog/generated/types/batch.v1.ts'
import { validateJob, validateJobUpdate } from '../../../catalog/validation/batch/job.ts'
import { sortedKeys } from '../../../go/sorted-keys.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { setTemplateLabels } from '../template-labels.ts'
import { withValidation } from '../with-validation.ts'

const uidLabel = 'batch.kubernetes.io/controller-uid'

function generateSelector({ metadata, spec }: Job, isNameGenerated: boolean): void {
  const { name = '', uid = '' } = metadata
  const template = spec.template.metadata
  const generated = { 'job-name': name, 'batch.kubernetes.io/job-name': name, 'controller-uid': uid, [uidLabel]: uid }
  // A Job without labels has the map of its template's labels; but a generated name is set in a copy of the Job.
  const isShared = metadata.labels !== undefined && metadata.labels === template.labels && !isNameGenerated
  template.labels = sortedKeys({ ...generated, ...template.labels })
  if (isShared) metadata.labels = { ...template.labels }
  spec.selector = { ...spec.selector, matchLabels: sortedKeys({ [uidLabel]: uid, ...spec.selector?.matchLabels }) }
}

export const jobHooks: StrategyHooks = {
  ...withValidation(validateJob, validateJobUpdate),
  prepareForCreate(object, { isNameGenerated }) {
    const job = object as Job
    if (job.spec.manualSelector !== true) generateSelector(job, isNameGenerated)
  },
  // A Job without labels whose template had none either gets those that were generated.
  defaultOnRead: setTemplateLabels,
}
