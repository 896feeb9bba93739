/** kube-apiserver's messages about CBOR that does not match a kind, derived from the messages about the same object in JSON. */
import type { Kind } from '../../catalog/kind.ts'
import type { JsonValue } from '../../go/json-value.ts'

/** The names of JSON types as CBOR items. */
const itemOf: Readonly<Record<string, string>> = {
  number: 'positive integer',
  string: 'UTF-8 text string',
  bool: 'primitives',
  array: 'array',
  object: 'map',
}

const mistyped = /^json: cannot unmarshal (\w+)(?: \S+)? into Go struct field \w+\.([^. ]+)(?:\.\S*)? of type (.*)$/

/** Converts the message about a value of the wrong type. The CBOR message has only the last part of the field's path. */
export function cborTypeError(kind: Kind, message: string): string {
  const [, given = '', field, type] = mistyped.exec(message) ?? []
  if (field === undefined)
    return message.replace(/^illegal base64/, 'cbor: failed to decode base64 from byte string: illegal base64')
  return `cbor: cannot unmarshal ${itemOf[given] ?? given} into Go struct field ${kind.version}.${kind.kind}.${field} of type ${type}`
}

/** Splits a path of field validation into its steps: `spec.containers[0].name`. */
const stepsOf = (path: string): string[] => path.split(/\.|\[|\]\.?/).filter((step) => step !== '')

/**
 * Returns the message about unknown fields. It has only the first one, and its index in its map.
 * @param warning the first warning of field validation: `unknown field "spec.colour"`
 */
export function cborUnknownField(value: JsonValue, warning: string): string {
  const steps = stepsOf(/^unknown field "(.*)"$/.exec(warning)?.[1] ?? '')
  let around = value
  for (const step of steps.slice(0, -1)) around = (around as { readonly [key: string]: JsonValue } | null)?.[step] ?? null
  const index = Object.keys(around ?? {}).indexOf(steps.at(-1) ?? '')
  return `cbor: found unknown field at map element index ${Math.max(0, index)}`
}
