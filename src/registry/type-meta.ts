/** Compares apiVersion and kind of a body with the kind of the request. */
import { mismatchOf } from '../catalog/declared-type.ts'
import type { Kind } from '../catalog/kind.ts'
import { internalMismatch, isUnversioned } from '../catalog/registered-kinds.ts'
import type { JsonValue } from '../go/json-value.ts'
import type { GroupKind } from '../meta/errors.ts'
import { readTypeMeta } from '../meta/type-meta.ts'

/** Returns the reason why the result of a patch is not an object of the kind. A custom resource may have another kind here. */
export function typeMetaError(kind: Kind, value: JsonValue): string | undefined {
  const declared = readTypeMeta(value)
  if (typeof declared === 'string') return declared
  if (declared.apiVersion.split('/').length > 2) return `unexpected GroupVersion string: ${declared.apiVersion}`
  // kube-apiserver decodes into the internal type, so that a version which is left out is the internal one.
  if (kind.codec.typeMeta === 'implied' && declared.kind !== '' && isUnversioned(kind, declared.apiVersion))
    return internalMismatch(kind, kind.group, declared.kind)
  return mismatchOf(kind, declared, value)
}

/** Returns the group and kind that a body declares. */
export function declaredKind(kind: Kind, value: JsonValue): GroupKind {
  const declared = readTypeMeta(value)
  if (typeof declared === 'string') return kind
  const slash = declared.apiVersion.indexOf('/')
  return { group: slash < 0 ? '' : declared.apiVersion.slice(0, slash), kind: declared.kind }
}
