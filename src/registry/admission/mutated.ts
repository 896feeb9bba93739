/** Mends metadata that webhooks or policies have broken, before the object is validated. */
import { goQuote } from '../../go/text.ts'
import type { KubernetesObject, ManagedFieldsEntry } from '../../meta/object-meta.ts'
import { dedupeOwners } from '../owner-references.ts'

/** Returns the reason why managedFields cannot be decoded. Follows DecodeManagedFields. */
function managedFieldsError(entries: readonly ManagedFieldsEntry[]): string | undefined {
  for (const [index, { operation, apiVersion = '', fieldsType = '' as string }] of entries.entries()) {
    if (operation !== 'Apply' && operation !== 'Update') return 'operation must be `Apply` or `Update`'
    if (apiVersion === '') return 'apiVersion must not be empty'
    if (fieldsType === '') return `missing fieldsType in managed fields entry ${index}`
    if (fieldsType !== 'FieldsV1') return `invalid fieldsType ${goQuote(fieldsType)} in managed fields entry ${index}`
  }
  return undefined
}

/**
 * Mends the metadata of an object after the mutating phase: invalid managedFields are replaced by those before, and duplicate owner
 * references removed. Follows NewManagedFieldsValidatingAdmissionController and dedupOwnerReferencesAndAddWarning.
 * @param before the managedFields before the phase
 * @param warn receives a warning for each
 */
export function mendMutated(
  { metadata }: KubernetesObject,
  before: readonly ManagedFieldsEntry[] | undefined,
  warn: (text: string) => void,
): void {
  const wrong = managedFieldsError(metadata.managedFields ?? [])
  if (wrong !== undefined) {
    metadata.managedFields = [...(before ?? [])]
    const advice = 'this could be caused by an outdated mutating admission controller; please fix your requests'
    warn(`.metadata.managedFields was in an invalid state after admission; ${advice}: ${wrong}`)
  }
  const warnings: string[] = []
  dedupeOwners(metadata, warnings, 'patch')
  for (const warning of warnings) warn(warning)
}
