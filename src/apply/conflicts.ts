/** Conflicts of an apply: fields that other managers own with a different value. */

import { compareText, goQuote } from '../go/text.ts'
import { ApiError } from '../meta/errors.ts'
import type { ManagedFieldsEntry } from '../meta/object-meta.ts'
import { managerIdentifier } from './managed-fields.ts'
import { pathText } from './path-element.ts'
import type { PathSet } from './path-set.ts'
import { members } from './path-set.ts'

/** The conflicting fields owned by one manager. */
export interface Conflict {
  readonly entry: ManagedFieldsEntry
  readonly set: PathSet
}

function managerText({ manager = '', subresource, operation, apiVersion }: ManagedFieldsEntry): string {
  const at = subresource === undefined ? '' : ` with subresource ${goQuote(subresource)}`
  return `${goQuote(manager)}${at}${operation === 'Update' ? ` using ${apiVersion}` : ''}`
}

/**
 * Returns 409 Conflict with one cause per field. Follows NewConflictError of apimachinery's managedfields, which also sorts
 * managers by their identifiers.
 */
export function conflictError(conflicts: readonly Conflict[]): ApiError {
  const sorted = [...conflicts].sort((a, b) => compareText(managerIdentifier(a.entry), managerIdentifier(b.entry)))
  const byManager = sorted.map(({ entry, set }) => ({ manager: managerText(entry), fields: [...members(set)].map(pathText) }))
  const causes = byManager.flatMap(({ manager, fields }) =>
    fields.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${manager}`, field })),
  )
  const [only] = causes
  const summary =
    causes.length === 1 && only !== undefined
      ? `1 conflict: ${only.message}: ${only.field}`
      : `${causes.length} conflicts: ${byManager.map(({ manager, fields }) => [`conflicts with ${manager}:`, ...fields.map((f) => `- ${f}`)].join('\n')).join('\n')}`
  return new ApiError(409, 'Conflict', `Apply failed with ${summary}`, { causes })
}
