/** Embedded objects (`x-kubernetes-embedded-resource`): their metadata is decoded and validated like that of any object. */

import { typeOf } from '../../catalog/scheme.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { addErrors, aggregate, type FieldError, invalidValue, required } from '../../meta/field-error.ts'
import { isDns1035Label, nameIsPathSegment } from '../../meta/names.ts'
import type { ObjectMeta } from '../../meta/object-meta.ts'
import { validateObjectMeta } from '../../meta/object-meta-validation.ts'
import { decode } from '../../schema/decode.ts'
import { DecodeError } from '../../schema/decode-run.ts'
import { sortedDeep } from '../../schema/sorted.ts'
import { withSortedKeys } from './list-types.ts'
import { childOf, type SchemaNode } from './node.ts'
import { childPath } from './path.ts'

/** Metadata, decoded to and encoded from its Go type. */
export interface ReadMetadata {
  readonly metadata: JsonObject
  /** Unknown fields, as paths within metadata. */
  readonly unknownFields: readonly string[]
}

/** Decodes metadata. The error of the first key in order is thrown: Go decodes it from a map. */
function decodeMetadata(value: JsonValue, strict: boolean): ReturnType<typeof decode> {
  const type = typeOf('meta/v1.ObjectMeta')
  try {
    return decode(type, value, { strict })
  } catch (error) {
    if (error instanceof DecodeError) return decode(type, sortedDeep(value), { strict })
    throw error
  }
}

/**
 * Decodes metadata.
 * @throws DecodeError if it does not match ObjectMeta
 */
export function readMetadata(value: JsonValue, strict: boolean): ReadMetadata {
  const { object, unknownFields } = decodeMetadata(value, strict)
  if (object.creationTimestamp === null) delete object.creationTimestamp
  return { metadata: object, unknownFields }
}

/** How embedded objects are decoded: malformed fields are refused, dropped, or kept for validation to refuse. */
export interface Coercion {
  readonly malformed: 'refuse' | 'drop' | 'keep'
  /** Collects the paths of unknown fields; undefined if they are not needed. */
  readonly unknown?: string[]
}

/**
 * Decodes embedded objects in place.
 * @returns the error of the first malformed one
 */
export function coerceEmbedded(value: JsonValue, node: SchemaNode, path: string, how: Coercion): FieldError | undefined {
  if (!node.hasEmbedded) return undefined
  if (Array.isArray(value)) {
    if (node.items === undefined) return undefined
    for (const [i, item] of value.entries()) {
      const error = coerceEmbedded(item, node.items, `${path}[${i}]`, how)
      if (error !== undefined) return error
    }
    return undefined
  }
  if (!isObject(value)) return undefined
  for (const key of Object.keys(value)) {
    const error = node.isEmbedded ? coerceField(value, key, node, path, how) : undefined
    if (error !== undefined) return error
    const child = childOf(node, key)
    const inside = node.properties.has(key) ? childPath(path, key) : `${path}[${key}]`
    const below = child === undefined ? undefined : coerceEmbedded(value[key] ?? null, child, inside, how)
    if (below !== undefined) return below
  }
  return undefined
}

/** Whether the schema of an embedded object does not allow null as its metadata. */
const refusesNullMetadata = ({ properties }: SchemaNode): boolean => properties.get('metadata')?.nullable === false

function coerceField(object: JsonObject, key: string, node: SchemaNode, path: string, how: Coercion): FieldError | undefined {
  const value = object[key] ?? null
  if (key === 'apiVersion' || key === 'kind') {
    if (typeof value === 'string') return undefined
    if (how.malformed === 'refuse') return invalidValue(childPath(path, key), value, 'must be a string')
    if (how.malformed === 'drop') delete object[key]
  }
  if (key !== 'metadata') return undefined
  if (value === null && how.malformed === 'keep' && refusesNullMetadata(node)) return undefined
  try {
    const { metadata, unknownFields } = readMetadata(value, how.unknown !== undefined)
    object.metadata = metadata
    for (const field of unknownFields) how.unknown?.push(`${childPath(path, 'metadata')}.${field}`)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    if (how.malformed === 'refuse') return invalidValue(childPath(path, 'metadata'), withSortedKeys(value), error.message)
  }
  return undefined
}

function groupVersionError(apiVersion: string): string | undefined {
  return apiVersion.split('/').length > 2 ? `unexpected GroupVersion string: ${apiVersion}` : undefined
}

function apiVersionErrors(value: JsonValue, path: string): FieldError[] {
  if (typeof value !== 'string') return [invalidValue(path, value, 'must be a string')]
  if (value === '') return [invalidValue(path, value, 'must not be empty')]
  const wrong = groupVersionError(value)
  return wrong === undefined ? [] : [invalidValue(path, value, wrong)]
}

function kindErrors(value: JsonValue, path: string): FieldError[] {
  if (typeof value !== 'string') return [invalidValue(path, value, 'must be a string')]
  if (value === '') return [invalidValue(path, value, 'must not be empty')]
  const errors = isDns1035Label(value.toLowerCase())
  if (errors.length === 0) return []
  return [invalidValue(path, value, `may have mixed case, but should otherwise match: ${errors.join(',')}`)]
}

function metadataErrors(value: JsonValue, path: string): FieldError[] {
  try {
    const { metadata } = readMetadata(value, false)
    const meta = metadata as ObjectMeta
    // The name of an embedded object is optional.
    const named = { ...meta, name: meta.name ?? 'fakename' }
    return validateObjectMeta(named, { namespaced: meta.namespace !== undefined, validateName: nameIsPathSegment }, path)
  } catch (error) {
    if (error instanceof DecodeError) return [invalidValue(path, withSortedKeys(value), error.message)]
    throw error
  }
}

function resourceErrors(object: JsonObject, path: string): FieldError[] {
  const checks = { apiVersion: apiVersionErrors, kind: kindErrors, metadata: metadataErrors } as const
  const errors: FieldError[] = []
  for (const key of ['apiVersion', 'kind'] as const) if (object[key] === undefined) errors.push(required(childPath(path, key)))
  for (const key of ['apiVersion', 'kind', 'metadata'] as const) {
    const value = object[key]
    if (value !== undefined) addErrors(errors, checks[key](value, childPath(path, key)))
  }
  return errors
}

/** Returns the errors in the metadata of embedded objects. */
export function embeddedErrors(value: JsonValue, node: SchemaNode | undefined, path: string): FieldError[] {
  if (node === undefined || !node.hasEmbedded) return []
  if (Array.isArray(value)) return value.flatMap((item, i) => embeddedErrors(item, node.items, `${path}[${i}]`))
  if (!isObject(value)) return []
  const errors = node.isEmbedded ? resourceErrors(value, path) : []
  for (const key of Object.keys(value)) {
    const property = node.properties.get(key)
    const inside = property === undefined ? `${path}[${key}]` : childPath(path, key)
    addErrors(errors, embeddedErrors(value[key] ?? null, property ?? node.additional?.node, inside))
  }
  return errors
}

/** Formats errors as one text, as an aggregate prints them. */
export const aggregateText = (errors: readonly FieldError[]): string => aggregate(errors)
