/** Fields that a configuration wants otherwise than somebody else owns them, and how the applier is told. */

import { compareText, goQuote } from '../go/text.ts'
import { ApiError } from '../meta/errors.ts'
import type { ManagedFieldsEntry } from '../meta/object-meta.ts'
import { managerIdentifier } from './managed-fields.ts'
import { pathText } from './path-element.ts'
import type { PathSet } from './path-set.ts'
import { members } from './path-set.ts'

/** What one manager owns of what is contested. */
export interface Conflict {
  readonly entry: ManagedFieldsEntry
  readonly set: PathSet
}

function managerText({ manager = '', subresource, operation, apiVersion }: ManagedFieldsEntry): string {
  const at = subresource === undefined ? '' : ` with subresource ${goQuote(subresource)}`
  return `${goQuote(manager)}${at}${operation === 'Update' ? ` using ${apiVersion}` : ''}`
}

/**
 * 409 with a cause for each field. Follows NewConflictError of apimachinery's managedfields: managers are sorted by what
 * identifies them.
 */
export function conflictError(conflicts: readonly Conflict[]): ApiError {
  const sorted = [...conflicts].sort((a, b) => compareText(managerIdentifier(a.entry), managerIdentifier(b.entry)))
  const told = sorted.map(({ entry, set }) => ({ who: managerText(entry), fields: [...members(set)].map(pathText) }))
  const causes = told.flatMap(({ who, fields }) =>
    fields.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field })),
  )
  const [only] = causes
  const what =
    causes.length === 1 && only !== undefined
      ? `1 conflict: ${only.message}: ${only.field}`
      : `${causes.length} conflicts: ${told.map(({ who, fields }) => [`conflicts with ${who}:`, ...fields.map((f) => `- ${f}`)].join('\n')).join('\n')}`
  return new ApiError(409, 'Conflict', `Apply failed with ${what}`, { causes })
}
