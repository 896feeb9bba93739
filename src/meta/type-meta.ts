/** What a body says that it is: TypeMeta of meta/v1, with Go's words for a body that says nothing that can be read. */
import { isRawNumber } from '../go/json.ts'
import type { JsonValue } from '../go/json-value.ts'

/** Where upstream's scheme says that it was made: clients see it in its messages. */
export const scheme = 'pkg/runtime/scheme.go:111'

/** How Go names what a JSON value is. */
function goKindOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'string' ? 'string' : 'number'
}

const typeMetaStruct = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

/** apiVersion and kind; '' where the body does not say. */
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
