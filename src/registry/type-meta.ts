/** apiVersion and kind of a body against the kind that the path asks for. */
import type { Kind } from '../catalog/kind.ts'
import { isRegistered } from '../catalog/registered-kinds.ts'
import { type FieldError, invalidValue } from '../meta/field-error.ts'
import { isRawNumber } from '../meta/json.ts'
import type { JsonValue } from '../meta/json-value.ts'

/** Where upstream's scheme says that it was made: clients see it in its messages. */
export const scheme = 'pkg/runtime/scheme.go:111'

/** How Go names what a JSON value is. */
function goKindOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'string' ? 'string' : 'number'
}

const typeMetaStruct = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

/** What a body says that it is; '' where it does not say. */
export interface TypeMeta {
  readonly apiVersion: string
  readonly kind: string
}

/**
 * Reads apiVersion and kind.
 * @returns the reason as Go words it where the body is no object or they are no strings
 */
export function readTypeMeta(value: JsonValue): TypeMeta | string {
  if (value === null) return { apiVersion: '', kind: '' }
  if (typeof value !== 'object' || Array.isArray(value) || isRawNumber(value)) {
    return `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKindOf(value)} into Go value of type ${typeMetaStruct}`
  }
  const object = value as { readonly [key: string]: JsonValue }
  for (const field of ['apiVersion', 'kind'] as const) {
    const said = object[field] ?? ''
    if (typeof said !== 'string') {
      const what = typeof said === 'object' && !Array.isArray(said) && !isRawNumber(said) ? 'object' : goKindOf(said)
      return `couldn't get version/kind; json parse error: json: cannot unmarshal ${what} into Go struct field .${field} of type string`
    }
  }
  return { apiVersion: String(object.apiVersion ?? ''), kind: String(object.kind ?? '') }
}

/** `v1.Secret`, as Go names the type of a registered kind. */
const goType = (apiVersion: string, kind: string): string => `${apiVersion.slice(apiVersion.indexOf('/') + 1)}.${kind}`

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
  if (!isRegistered(apiVersion, name)) return `no kind "${name}" is registered for version "${apiVersion}" in scheme "${scheme}"`
  if (isSameKind(kind, apiVersion, name)) return undefined
  return `converting (${goType(apiVersion, name)}) to (${internalType(kind)}): unknown conversion`
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

/** The same for the result of a patch, with the reason why it is no object at all. */
export function typeMetaError(kind: Kind, value: JsonValue): string | undefined {
  const said = readTypeMeta(value)
  return typeof said === 'string' ? said : mismatch(kind, said)
}
