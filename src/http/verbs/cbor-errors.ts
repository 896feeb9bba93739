/** How kube-apiserver tells of CBOR that does not fit a kind, of what is told of the same object in JSON. */
import type { Kind } from '../../catalog/kind.ts'
import type { JsonValue } from '../../go/json-value.ts'

/** What a JSON value is called as an item of CBOR. */
const itemOf: Readonly<Record<string, string>> = {
  number: 'positive integer',
  string: 'UTF-8 text string',
  bool: 'primitives',
  array: 'array',
  object: 'map',
}

const mistyped = /^json: cannot unmarshal (\w+)(?: \S+)? into Go struct field \w+\.([^. ]+)\S* of type (.*)$/

/** The message about a value that is of another type than its field: it names the field of the object itself alone. */
export function cborTypeError(kind: Kind, message: string): string {
  const [, given = '', field, type] = mistyped.exec(message) ?? []
  if (field === undefined)
    return message.replace(/^illegal base64/, 'cbor: failed to decode base64 from byte string: illegal base64')
  return `cbor: cannot unmarshal ${itemOf[given] ?? given} into Go struct field ${kind.version}.${kind.kind}.${field} of type ${type}`
}

/** The steps of a path as field validation writes it: `spec.containers[0].name`. */
const stepsOf = (path: string): string[] => path.split(/\.|\[|\]\.?/).filter((step) => step !== '')

/**
 * The message about fields that a kind does not know: it tells of the first alone, and where in its map that stands.
 * @param warning the first of field validation's: `unknown field "spec.colour"`
 */
export function cborUnknownField(value: JsonValue, warning: string): string {
  const steps = stepsOf(/^unknown field "(.*)"$/.exec(warning)?.[1] ?? '')
  let around = value
  for (const step of steps.slice(0, -1)) around = (around as { readonly [key: string]: JsonValue } | null)?.[step] ?? null
  const index = Object.keys(around ?? {}).indexOf(steps.at(-1) ?? '')
  return `cbor: found unknown field at map element index ${Math.max(0, index)}`
}
