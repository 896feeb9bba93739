/** The apiVersion and kind of a request body: TypeMeta of meta/v1, with Go's error texts. */
import { isRawNumber } from '../go/json.ts'
import type { JsonValue } from '../go/json-value.ts'

/** The name of upstream's scheme, which is the code position that created it. Error texts contain it. */
export const scheme = 'pkg/runtime/scheme.go:111'

/** Returns Go's name for the type of a JSON value. */
function goKindOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'string' ? 'string' : 'number'
}

const typeMetaStruct = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

/** apiVersion and kind; '' if absent in the body. */
export interface TypeMeta {
  readonly apiVersion: string
  readonly kind: string
}

/** Returns `v1` for `/v1`: ParseGroupVersion reads an empty group, and its result is written without it. */
const withoutEmptyGroup = (apiVersion: string): string => (/^\/[^/]*$/.test(apiVersion) ? apiVersion.slice(1) : apiVersion)

/**
 * Reads apiVersion and kind.
 * @returns Go's error text if the body is not an object or one of the two is not a string
 */
export function readTypeMeta(value: JsonValue): TypeMeta | string {
  if (value === null) return { apiVersion: '', kind: '' }
  if (typeof value !== 'object' || Array.isArray(value) || isRawNumber(value)) {
    return `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKindOf(value)} into Go value of type ${typeMetaStruct}`
  }
  const object = value as { readonly [key: string]: JsonValue }
  for (const field of ['apiVersion', 'kind'] as const) {
    const content = object[field] ?? ''
    if (typeof content !== 'string') {
      const actualKind =
        typeof content === 'object' && !Array.isArray(content) && !isRawNumber(content) ? 'object' : goKindOf(content)
      return `couldn't get version/kind; json parse error: json: cannot unmarshal ${actualKind} into Go struct field .${field} of type string`
    }
  }
  return { apiVersion: withoutEmptyGroup(String(object.apiVersion ?? '')), kind: String(object.kind ?? '') }
}
