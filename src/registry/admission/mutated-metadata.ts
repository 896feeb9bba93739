/**
 * Checks metadata that policies or webhooks have changed. Follows managedFieldsValidatingAdmissionController and
 * dedupOwnerReferencesAndAddWarning of k8s.io/apiserver.
 */
import { decodeManagedFields } from '../../apply/managed-fields.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { ApiError } from '../../meta/errors.ts'
import type { KubernetesObject, ManagedFieldsEntry } from '../../meta/object-meta.ts'
import { dedupeOwners } from '../owner-references.ts'
import type { AdmissionFindings } from './plugin.ts'

/** Returns the error of invalid entries; undefined if they are valid. */
function invalidManagers(entries: readonly ManagedFieldsEntry[]): string | undefined {
  try {
    decodeManagedFields(entries as unknown as readonly JsonValue[])
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error.message
    throw error
  }
}

/**
 * Restores invalid managedFields and removes duplicate owner references, with warnings.
 * @param before the managedFields before admission
 */
export function repairMetadata(
  { metadata }: KubernetesObject,
  before: readonly ManagedFieldsEntry[] | undefined,
  findings: AdmissionFindings,
): void {
  const { managedFields } = metadata
  const invalid = managedFields === undefined || managedFields === before ? undefined : invalidManagers(managedFields)
  if (invalid !== undefined) {
    const cause = 'this could be caused by an outdated mutating admission controller; please fix your requests'
    findings.warn(`.metadata.managedFields was in an invalid state after admission; ${cause}: ${invalid}`)
    if (before === undefined) delete metadata.managedFields
    else metadata.managedFields = [...before]
  }
  dedupeOwners(metadata, 'patch', (text) => findings.warn(text))
}
