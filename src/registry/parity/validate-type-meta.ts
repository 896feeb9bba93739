/**
 * A custom resource whose body declares another apiVersion or kind. Follows
 * customResourceValidator.ValidateTypeMeta of k8s.io/apiextensions-apiserver: nothing finds it before validation.
 *
 * Recorded: cr-other-kind, patch-declared-types.
 */
import type { Kind } from '../../catalog/kind.ts'
import { type ApiError, internalError, invalid } from '../../meta/errors.ts'
import type { FieldError } from '../../meta/field-error.ts'
import type { TypeMeta } from '../../meta/type-meta.ts'
import { declaredKind } from '../type-meta.ts'

/**
 * Returns the error of a custom resource that declares another apiVersion or kind.
 * @param others other errors of the object, which come first
 */
export function misnamedError(kind: Kind, declared: TypeMeta, name: string, others: readonly FieldError[] = []): ApiError {
  // apiextensions-apiserver fails here when it reads the version of the object.
  if (declared.apiVersion === '') return internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'")
  return invalid(declaredKind(kind, { ...declared }), name, [...others, ...kind.codec.typeErrors(declared)])
}
