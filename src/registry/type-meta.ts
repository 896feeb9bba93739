/** Compares apiVersion and kind of a body with the kind of the request. */
import { mismatchOf } from '../catalog/declared-type.ts'
import type { Kind } from '../catalog/kind.ts'
import { internalMismatch, isUnversioned } from '../catalog/registered-kinds.ts'
import type { JsonValue } from '../go/json-value.ts'
import { type ApiError, type GroupKind, internalError, invalid } from '../meta/errors.ts'
import type { FieldError } from '../meta/field-error.ts'
import { readTypeMeta, type TypeMeta } from '../meta/type-meta.ts'

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

/**
 * Whether the result of a patch declares the internal version of its kind, or no version, which means the same: kube-apiserver
 * decodes into the internal type. Its fields have no JSON names, so that nothing of the object is read.
 */
export function isInternal(kind: Kind, { apiVersion, kind: name }: TypeMeta): boolean {
  if (kind.codec.typeMeta !== 'implied' || (name !== '' && name !== kind.kind)) return false
  const prefix = kind.group === '' ? '' : `${kind.group}/`
  return isUnversioned(kind, apiVersion) || apiVersion === `${prefix}__internal`
}

/** Returns the group and kind that a body declares. */
export function declaredKind(kind: Kind, value: JsonValue): GroupKind {
  const declared = readTypeMeta(value)
  if (typeof declared === 'string') return kind
  const slash = declared.apiVersion.indexOf('/')
  return { group: slash < 0 ? '' : declared.apiVersion.slice(0, slash), kind: declared.kind }
}

/**
 * Returns the error of a custom resource that declares another apiVersion or kind.
 * @param others other errors of the object, which come first
 */
export function misnamedError(kind: Kind, declared: TypeMeta, name: string, others: readonly FieldError[] = []): ApiError {
  // apiextensions-apiserver fails here when it reads the version of the object.
  if (declared.apiVersion === '') return internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'")
  return invalid(declaredKind(kind, { ...declared }), name, [...others, ...kind.codec.typeErrors(declared)])
}
