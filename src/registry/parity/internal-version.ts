/**
 * A patch whose result declares the internal version. Follows jsonPatcher.applyPatchToCurrentObject, which decodes into the internal
 * type. Its fields have no JSON names, so that nothing of the object is read.
 *
 * Recorded: patch-api-version.
 */
import type { Kind } from '../../catalog/kind.ts'
import { isUnversioned } from '../../catalog/registered-kinds.ts'
import { MAX_STRICT_ERRORS } from '../../go/json-duplicates.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { goQuote } from '../../go/text.ts'
import type { TypeMeta } from '../../meta/type-meta.ts'

/** Whether the result of a patch declares the internal version of its kind, or no version, which means the same. */
export function isInternal(kind: Kind, { apiVersion, kind: name }: TypeMeta): boolean {
  if (kind.codec.typeMeta !== 'implied' || (name !== '' && name !== kind.kind)) return false
  const prefix = kind.group === '' ? '' : `${kind.group}/`
  return isUnversioned(kind, apiVersion) || apiVersion === `${prefix}__internal`
}

/** Returns the complaints about the fields of such a result: all of them are unknown. */
export function unknownFields(patched: JsonValue): string[] {
  const fields = isObject(patched) ? Object.keys(patched).filter((key) => key !== 'apiVersion' && key !== 'kind') : []
  return fields.slice(0, MAX_STRICT_ERRORS).map((field) => `unknown field ${goQuote(field)}`)
}
