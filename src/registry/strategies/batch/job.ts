/** The strategy of Jobs: generates a selector and labels from the Job's uid. */
import type { Job } from '../../../catalog/generated/types/batch.v1.ts'
import { validateJob, validateJobUpdate } from '../../../catalog/validation/batch/job.ts'
import { sortedKeys } from '../../../go/sorted-keys.ts'
import type { ReadDefaults, StrategyHooks } from '../../hooks.ts'
import { setTemplateLabels } from '../template-labels.ts'
import { withValidation } from '../with-validation.ts'

const uidLabel = 'batch.kubernetes.io/controller-uid'

/** The number of labels that generateSelector adds to a template. */
const generatedLabels = 4

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

const sameLabels = (a: Record<string, string> | undefined, b: Record<string, string> | undefined): boolean =>
  a !== undefined && JSON.stringify(a) === JSON.stringify(b)

/** A Job without labels whose template had none either has the template's when it is read: those that were generated. */
const labelsWhenRead: ReadDefaults = {
  set: setTemplateLabels,
  wereSet(object) {
    const { metadata, spec } = object as Job
    const { labels } = spec.template.metadata
    const isGenerated = labels?.[uidLabel] === metadata.uid && Object.keys(labels ?? {}).length === generatedLabels
    return spec.manualSelector !== true && isGenerated && sameLabels(metadata.labels, labels)
  },
}

export const jobHooks: StrategyHooks = {
  ...withValidation(validateJob, validateJobUpdate),
  prepareForCreate(object, { isNameGenerated }) {
    const job = object as Job
    if (job.spec.manualSelector !== true) generateSelector(job, isNameGenerated)
  },
  readDefaults: labelsWhenRead,
}
