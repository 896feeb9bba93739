/** The check that a document is of a kind. kube-apiserver decodes it as the kind that it declares, and then converts it. */
import type { JsonValue } from '../go/json-value.ts'
import type { TypeMeta } from '../meta/type-meta.ts'
import { decode } from '../schema/decode.ts'
import { DecodeError } from '../schema/decode-run.ts'
import type { Kind } from './kind.ts'
import { messageOf } from './protobuf-messages.ts'
import { isUnregistered, isUnversioned } from './registered-kinds.ts'
import { typeOf } from './scheme.ts'

/** Returns the error with which a document does not decode as the kind that it declares; undefined if it does. */
function errorAsDeclared(value: JsonValue, { apiVersion, kind }: TypeMeta): string | undefined {
  const reference = messageOf(apiVersion, kind)
  if (reference === undefined) return undefined
  try {
    decode(typeOf(reference), value)
    return undefined
  } catch (error) {
    if (error instanceof DecodeError) return error.message
    throw error
  }
}

/**
 * Returns the reason that a document is not an object of the kind: nobody knows its kind, or it does not decode as that, or it
 * cannot be converted. Undefined if it is one.
 * @param value undefined if only the type is known
 */
export function mismatchOf(kind: Kind, declared: TypeMeta, value: JsonValue | undefined): string | undefined {
  const wrong = kind.codec.mismatch(declared)
  if (wrong === undefined || value === undefined || isUnregistered(wrong)) return wrong
  const apiVersion = isUnversioned(kind, declared.apiVersion) ? kind.apiVersion : declared.apiVersion
  return errorAsDeclared(value, { ...declared, apiVersion }) ?? wrong
}
