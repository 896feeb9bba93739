/** A body becomes an object of its kind: typed, normalised, defaulted; what the kind does not know is told or refused. */
import { applyKindDefaults } from '../catalog/defaulting/defaults.ts'
import type { CustomKind, Kind } from '../catalog/kind.ts'
import type { FieldValidation } from '../clusters/operation.ts'
import { duplicateFields } from '../go/json-duplicates.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { goQuote } from '../go/text.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { TypeMeta } from '../meta/type-meta.ts'
import { conversionError, wrapIntegers } from '../schema/convert.ts'
import { decode } from '../schema/decode.ts'
import { DecodeError } from '../schema/decode-run.ts'
import { type ExplicitEmpty, markExplicitEmpty } from '../schema/explicit-empty.ts'
import { strictErrors } from '../schema/strict.ts'

/** The object, and what is to be warned of. */
export interface Decoded {
  readonly object: KubernetesObject
  readonly warnings: readonly string[]
  /** What the body of a custom resource says that it is, where it is something else. */
  readonly misnamed?: TypeMeta
  /** Lists and maps that the body gives and that hold nothing; absent where there are none. */
  readonly explicitEmpty?: readonly ExplicitEmpty[]
}

/** A body with unknown or duplicate fields where these are refused. */
export class StrictDecodeError extends Error {}

/**
 * @param value the parsed body
 * @param text the body as it came, where duplicate fields are to be found; undefined where they cannot be
 * @throws DecodeError where a value does not fit its type; StrictDecodeError for Strict
 */
export function decodeObject(kind: Kind, value: JsonValue, text: string | undefined, validation: FieldValidation): Decoded {
  if (kind.custom !== undefined) return decodeCustom(kind.custom, value, text, validation)
  return decodeBuiltIn(kind, value, text, validation, false)
}

function decodeBuiltIn(
  kind: Kind,
  value: JsonValue,
  text: string | undefined,
  validation: FieldValidation,
  unstructured: boolean,
): Decoded {
  const strict = validation !== 'Ignore'
  const { object, unknownFields, explicitEmpty } = decode(kind.type, value, { strict, unstructured })
  const decoded = object as unknown as KubernetesObject
  const warnings = strict ? complaints(kind, text, unknownFields) : []
  if (validation === 'Strict' && warnings.length > 0) throw new StrictDecodeError(`strict decoding error: ${warnings.join(', ')}`)
  keepReset(value, decoded)
  markExplicitEmpty(decoded, explicitEmpty)
  applyKindDefaults(kind, decoded)
  return { object: decoded, warnings, ...(explicitEmpty.length > 0 && { explicitEmpty }) }
}

/**
 * The same of an object of a built-in kind that was made from parts, which Go converts by reflection: integers that their fields
 * cannot hold are cut.
 * @throws DecodeError with the message of that conversion
 */
export function decodeUnstructured(kind: Kind, value: JsonObject, validation: FieldValidation): Decoded {
  try {
    return decodeBuiltIn(kind, value, undefined, validation, true)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    const why = conversionError(kind.type, value)
    if (why !== undefined) throw new DecodeError(why)
    return decodeBuiltIn(kind, wrapIntegers(kind.type, value), undefined, validation, true)
  }
}

function decodeCustom(custom: CustomKind, value: JsonValue, text: string | undefined, validation: FieldValidation): Decoded {
  const decoded = custom.decode(value, text, validation)
  const { warnings } = decoded
  if (validation === 'Strict' && warnings.length > 0) throw new StrictDecodeError(`strict decoding error: ${warnings.join(', ')}`)
  keepReset(value, decoded.object)
  return decoded
}

/** An empty list of managers says that nobody is to own anything: it must outlast a decoding that leaves empty lists out. */
function keepReset(value: JsonValue, object: KubernetesObject): void {
  const metadata = (value as { readonly metadata?: { readonly managedFields?: JsonValue } } | null)?.metadata
  if (Array.isArray(metadata?.managedFields) && metadata.managedFields.length === 0) object.metadata.managedFields = []
}

/** The text is walked in full only where there is something to tell. */
function complaints(kind: Kind, text: string | undefined, unknownFields: readonly string[]): readonly string[] {
  if (text === undefined) return unknownFields.map((field) => `unknown field ${goQuote(field)}`)
  return unknownFields.length > 0 || duplicateFields(text).length > 0 ? strictErrors(kind.type, text) : []
}
