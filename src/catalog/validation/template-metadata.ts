import type { ObjectMeta } from '../../meta/object-meta.ts'
import { validateAnnotations, validateLabels } from '../../meta/object-meta-validation.ts'
import { explicitEmpty } from '../../schema/explicit-empty.ts'
import type { Errors } from './checks.ts'

const allowed: ReadonlySet<string> = new Set(['annotations', 'labels'])
/** Fields that are rejected even if they are empty. */
const lists = ['ownerReferences', 'finalizers', 'managedFields']
/** Field names in messages that are not simply the Go name with a lower-case first letter. */
const unlikeGo: Readonly<Record<string, string>> = { uid: 'uID' }

export function checkTemplateMetadata(metadata: ObjectMeta, field: string, errors: Errors): void {
  errors.push(...validateAnnotations(metadata.annotations ?? {}, `${field}.annotations`))
  errors.push(...validateLabels(metadata.labels ?? {}, `${field}.labels`))
  const empty = lists.filter((name) => explicitEmpty(metadata, name) !== undefined).map((name) => [name, []] as const)
  for (const [name, value] of [...Object.entries(metadata), ...empty]) {
    if (!allowed.has(name) && value !== null) errors.forbidden(`${field}.${unlikeGo[name] ?? name}`, 'cannot be set')
  }
}
