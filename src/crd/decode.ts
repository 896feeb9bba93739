/**
 * Decodes a body into a custom resource: decodes metadata as ObjectMeta, prunes unknown fields and applies defaults. Follows
 * schemaCoercingDecoder of apiextensions-apiserver.
 */

import type { FieldValidation } from '../catalog/decoded.ts'
import { isRawNumber } from '../go/json.ts'
import { duplicateFields } from '../go/json-duplicates.ts'
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { goQuote } from '../go/text.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import { DecodeError } from '../schema/decode-run.ts'
import { applyDefaults } from './schema/default.ts'
import { coerceEmbedded, readMetadata } from './schema/embedded.ts'
import type { SchemaNode } from './schema/node.ts'
import { numberOf } from './schema/numbers.ts'
import { prune, pruneNulls } from './schema/prune.ts'

/** How nulls in fields that are not nullable are decoded. */
export type Nulls = 'left out' | 'kept'

/** The parts of a schema that decoding needs. */
export interface DecodingSchema {
  /** Absent if the version has no schema. */
  readonly node: SchemaNode | undefined
  /** Whether the definition sets preserveUnknownFields, as old ones may. */
  readonly preservesAll: boolean
}

/**
 * Decodes metadata and prunes unknown fields, in place, for bodies, stored objects and converted objects.
 * @param unknown collects the paths of unknown fields; undefined if they are not needed
 * @throws DecodeError if metadata is malformed
 */
export function coerce(
  object: JsonObject,
  schema: DecodingSchema,
  unknown: string[] | undefined,
  nulls: Nulls = 'left out',
): JsonObject {
  const given = object.metadata
  const read = given === undefined ? undefined : readMetadata(given, unknown !== undefined)
  const tell = unknown === undefined ? 'ignore' : 'tell'
  if (read !== undefined) for (const field of read.unknownFields) unknown?.push(`metadata.${field}`)
  const { node, preservesAll } = schema
  if (node !== undefined && !preservesAll) {
    const pruned = prune(object, node, true, tell)
    for (const field of pruned) unknown?.push(field)
    pruneNulls(object, node, nulls === 'left out' ? 'all' : 'untyped')
  }
  if (node !== undefined) {
    const embedded: string[] = []
    // The result of an apply is converted without decoding its embedded objects: only its validation refuses malformed ones.
    const malformed = {
      malformed: nulls === 'kept' ? 'keep' : 'refuse',
      ...(unknown !== undefined && { unknown: embedded }),
    } as const
    const error = coerceEmbedded(object, node, '', malformed)
    // An applied configuration is not decoded: its validation reports malformed objects.
    if (error !== undefined && nulls === 'left out') throw new DecodeError(`${error.field}: ${error.text}`)
    for (const field of embedded.sort()) unknown?.push(field)
  }
  return read?.metadata ?? {}
}

/** Returns the object in the registry's form: metadata first, without apiVersion and kind. */
function ordered(object: JsonObject, metadata: JsonObject): KubernetesObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...rest } = object
  return { metadata, ...rest } as KubernetesObject
}

/**
 * Decodes a body to an object, pruned and defaulted, with warnings.
 * @param text the JSON text of the body, in which duplicate fields are searched; undefined if the body was not JSON
 * @throws DecodeError if its metadata is malformed
 */
export type BodyDecoder = (
  value: JsonValue,
  text: string | undefined,
  validation: FieldValidation,
  nulls: Nulls,
) => { readonly object: KubernetesObject; readonly warnings: readonly string[] }

/** Returns the decoder of a version's bodies. */
export function decoderOf(schema: DecodingSchema): BodyDecoder {
  return (value, text, validation, nulls) => {
    const object: JsonObject = isObject(value) ? (structuredCloneOf(value) as JsonObject) : {}
    const unknown: string[] | undefined = validation === 'Ignore' ? undefined : []
    const metadata = coerce(object, schema, unknown, nulls)
    const duplicates = unknown === undefined || text === undefined ? [] : duplicateFields(text, value)
    applyDefaults(object, schema.node)
    const warnings = [
      ...duplicates.map((field) => `duplicate field ${goQuote(field)}`),
      ...(unknown ?? []).map((field) => `unknown field "${field}"`),
    ]
    return { object: ordered(object, metadata), warnings }
  }
}

/**
 * Copies a body before pruning, because the caller owns it.
 * @throws DecodeError for numbers beyond the range of doubles
 */
function structuredCloneOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(structuredCloneOf)
  if (isRawNumber(value) && !Number.isFinite(numberOf(value))) {
    throw new DecodeError(`json: cannot unmarshal number ${value.rawJSON} into Go value of type float64`)
  }
  if (!isObject(value)) return value
  const copy: JsonObject = {}
  for (const key of Object.keys(value)) {
    const inner = structuredCloneOf(value[key] ?? null)
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: inner, writable: true, enumerable: true, configurable: true })
    else copy[key] = inner
  }
  return copy
}
