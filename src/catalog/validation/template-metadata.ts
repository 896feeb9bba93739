/** The metadata of templates of claims (ValidateTemplateObjectMeta): labels and annotations, nothing else. */
import { forbiddenValue } from '../../meta/field-error.ts'
import type { ObjectMeta } from '../../meta/object-meta.ts'
import { validateAnnotations, validateLabels } from '../../meta/object-meta-validation.ts'
import type { Errors } from './checks.ts'

const allowed: ReadonlySet<string> = new Set(['annotations', 'labels'])
/** Messages make the name of a field from Go's, whose first letter alone they change. */
const unlikeGo: Readonly<Record<string, string>> = { uid: 'uID' }

export function checkTemplateMetadata(metadata: ObjectMeta, field: string, errors: Errors): void {
  errors.push(...validateAnnotations(metadata.annotations ?? {}, `${field}.annotations`))
  errors.push(...validateLabels(metadata.labels ?? {}, `${field}.labels`))
  for (const [name, value] of Object.entries(metadata)) {
    if (!allowed.has(name) && value !== null) errors.push(forbiddenValue(`${field}.${unlikeGo[name] ?? name}`, 'cannot be set'))
  }
}
