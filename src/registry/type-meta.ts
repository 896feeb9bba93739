/** apiVersion and kind of a body against the kind that the path asks for. */
import type { Kind } from '../catalog/kind.ts'
import { goTypeOf, isRegistered } from '../catalog/registered-kinds.ts'
import type { JsonValue } from '../go/json-value.ts'
import { type ApiError, type GroupKind, internalError, invalid } from '../meta/errors.ts'
import { type FieldError, invalidValue } from '../meta/field-error.ts'
import { readTypeMeta, scheme, type TypeMeta } from '../meta/type-meta.ts'

/** `core.ConfigMap`, as Go names the type that all versions of a kind convert to. */
export function internalType({ kind, storage: { group } }: Kind): string {
  return `${group === '' ? 'core' : (group.split('.')[0] ?? '')}.${kind}`
}

/** Kinds that all versions of several groups convert to one and the same. */
const sharedKinds: Readonly<Record<string, readonly string[]>> = { Scale: ['apps', 'autoscaling', 'extensions'] }

function isSameKind(kind: Kind, apiVersion: string, name: string): boolean {
  const [group = ''] = apiVersion.split('/')
  if (name !== kind.kind) return false
  return group === kind.apiVersion.split('/')[0] || (sharedKinds[name]?.includes(group) ?? false)
}

/** Why an object that says this of itself is none of the kind; undefined where it is one. */
export function mismatch(kind: Kind, said: TypeMeta): string | undefined {
  const apiVersion = said.apiVersion === '' ? kind.apiVersion : said.apiVersion
  const name = said.kind === '' ? kind.kind : said.kind
  if (apiVersion === kind.apiVersion && name === kind.kind) return undefined
  if (!isRegistered(kind.storage.group, apiVersion, name)) {
    return `no kind "${name}" is registered for version "${apiVersion}" in scheme "${scheme}"`
  }
  if (isSameKind(kind, apiVersion, name)) return undefined
  return `converting (${goTypeOf(apiVersion, name)}) to (${internalType(kind)}): unknown conversion`
}

/** What of a body's apiVersion and kind is not the custom resource's. Nothing for built-in kinds, whose types tell of it. */
export function customTypeErrors(kind: Kind, value: JsonValue): FieldError[] {
  if (kind.custom === undefined) return []
  const said = readTypeMeta(value)
  if (typeof said === 'string') return []
  const errors: FieldError[] = []
  if (said.kind !== kind.kind) errors.push(invalidValue('kind', said.kind, `must be ${kind.kind}`))
  if (said.apiVersion !== kind.apiVersion) errors.push(invalidValue('apiVersion', said.apiVersion, `must be ${kind.apiVersion}`))
  return errors
}

/** Why the result of a patch is no object of the kind, or no object at all; of a custom resource the latter alone. */
export function typeMetaError(kind: Kind, value: JsonValue): string | undefined {
  const said = readTypeMeta(value)
  if (typeof said === 'string') return said
  if (said.apiVersion.split('/').length > 2) return `unexpected GroupVersion string: ${said.apiVersion}`
  return kind.custom === undefined ? mismatch(kind, said) : undefined
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
  return invalid(declaredKind(kind, { ...said }), name, [...others, ...customTypeErrors(kind, { ...said })])
}
