/** apiVersion and kind of a body against the kind that the path asks for. */
import type { Kind } from '../catalog/kind.ts'
import type { JsonValue } from '../go/json-value.ts'
import { type ApiError, type GroupKind, internalError, invalid } from '../meta/errors.ts'
import type { FieldError } from '../meta/field-error.ts'
import { readTypeMeta, type TypeMeta } from '../meta/type-meta.ts'

/** Why the result of a patch is no object of the kind, or no object at all; of a custom resource the latter alone. */
export function typeMetaError(kind: Kind, value: JsonValue): string | undefined {
  const said = readTypeMeta(value)
  if (typeof said === 'string') return said
  if (said.apiVersion.split('/').length > 2) return `unexpected GroupVersion string: ${said.apiVersion}`
  return kind.codec.mismatch(said)
}

/** The group and kind that a body says it is of. */
export function declaredKind(kind: Kind, value: JsonValue): GroupKind {
  const said = readTypeMeta(value)
  if (typeof said === 'string') return kind
  const slash = said.apiVersion.indexOf('/')
  return { group: slash < 0 ? '' : said.apiVersion.slice(0, slash), kind: said.kind }
}

/** The refusal of a custom resource that says that it is something else, with what else is wrong with it told first. */
export function misnamedError(kind: Kind, said: TypeMeta, name: string, others: readonly FieldError[] = []): ApiError {
  // Upstream comes to ask for the version of an object that has none.
  if (said.apiVersion === '') return internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'")
  return invalid(declaredKind(kind, { ...said }), name, [...others, ...kind.codec.typeErrors(said)])
}
