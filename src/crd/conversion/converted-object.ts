/**
 * Checks converted objects: a conversion webhook may change everything except an object's identity and, within metadata, only
 * labels and annotations.
 */

import { setKey, stringify } from '../../go/json.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { goTypeOf } from '../../go/print.ts'
import { aggregate, type FieldError } from '../../meta/field-error.ts'
import { validateAnnotations, validateLabels } from '../../meta/object-meta-validation.ts'
import { ConversionFailure } from './failure.ts'

/** The parts of metadata that a webhook may change. Upstream's errors name one of them wrongly. */
const changeable: readonly {
  readonly name: 'labels' | 'annotations'
  readonly errors: (texts: Readonly<Record<string, string>>) => FieldError[]
}[] = [
  { name: 'labels', errors: (texts) => validateLabels(texts, 'metadata.labels') },
  { name: 'annotations', errors: (texts) => validateAnnotations(texts, 'metadata.annotation') },
]

/** Returns the string at a key; '' if it is absent. */
export function textAt(object: JsonValue | undefined, key: string): string {
  const value = isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined
  return typeof value === 'string' ? value : ''
}

/** Returns Go's JSON name for a value that is not an object. */
function goKindOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'string') return 'string'
  return typeof value === 'boolean' ? 'bool' : 'number'
}

/** Reads one converted object. Follows UnmarshalJSON of unstructured objects, including its errors. */
function readObject(value: JsonValue): JsonObject {
  if (value === null) throw new ConversionFailure('unexpected end of JSON input')
  if (!isObject(value)) {
    throw new ConversionFailure(`json: cannot unmarshal ${goKindOf(value)} into Go value of type map[string]interface {}`)
  }
  const apiVersion = textAt(value, 'apiVersion')
  // Upstream treats an apiVersion with two slashes as a missing kind.
  if (textAt(value, 'kind') === '' || apiVersion.split('/').length > 2) {
    throw new ConversionFailure(`Object 'Kind' is missing in '${stringify(value)}'`)
  }
  return value
}

function checkType(original: JsonObject, converted: JsonObject, wanted: string, index: number): void {
  const about = `returned invalid object at index ${index}: invalid`
  const [version, kind] = [textAt(converted, 'apiVersion'), textAt(converted, 'kind')]
  if (version !== wanted)
    throw new ConversionFailure(`${about} groupVersion (expected ${wanted}, received ${version})`, 'of kind')
  const expected = textAt(original, 'kind')
  if (kind !== expected) throw new ConversionFailure(`${about} kind (expected ${expected}, received ${kind})`, 'of kind')
}

const identity = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const

function checkIdentity(original: JsonObject, converted: JsonObject): void {
  for (const [key, called] of identity) {
    const [before, after] = [textAt(original.metadata, key), textAt(converted.metadata, key)]
    if (before !== after) {
      throw new ConversionFailure(`returned invalid object: must have the same ${called}: ${before} != ${after}`, 'of kind')
    }
  }
}

const invalidMetadata = (why: string): ConversionFailure => new ConversionFailure(`returned invalid metadata: ${why}`, 'of kind')

/** Returns the changed labels or annotations after validation. */
function changedTexts(
  { name, errors }: (typeof changeable)[number],
  before: JsonValue | undefined,
  after: JsonValue,
): Record<string, string> {
  if (!isObject(after)) throw invalidMetadata(`invalid metadata.${name} of type ${goTypeOf(after)} in converted object`)
  const texts: Record<string, string> = {}
  for (const [key, value] of Object.entries(after)) {
    if (typeof value !== 'string') {
      const type = value === null ? '<nil>' : goTypeOf(value)
      throw invalidMetadata(`metadata.${name}[${key}] must be a string, but is ${type} in converted object`)
    }
    setKey(texts, key, value)
  }
  const old = isObject(before) ? before : {}
  const isSame =
    Object.keys(old).length === Object.keys(texts).length &&
    Object.entries(texts).every(([key, value]) => Object.hasOwn(old, key) && old[key] === value)
  const found = isSame ? [] : errors(texts)
  if (found.length > 0) throw invalidMetadata(aggregate(found))
  return texts
}

/** Returns the original metadata with the labels and annotations of the converted object. */
function restoredMetadata(original: JsonObject, converted: JsonObject): JsonObject {
  const given = converted.metadata
  if (given === undefined) throw invalidMetadata('missing metadata in converted object')
  if (!isObject(given)) {
    const type = given === null ? '<nil>' : goTypeOf(given)
    throw invalidMetadata(`invalid metadata of type ${type} in converted object`)
  }
  const metadata: JsonObject = isObject(original.metadata) ? { ...original.metadata } : {}
  for (const part of changeable) {
    const after = Object.hasOwn(given, part.name) ? given[part.name] : undefined
    if (after === undefined || after === null) delete metadata[part.name]
    else metadata[part.name] = changedTexts(part, metadata[part.name], after)
  }
  return metadata
}

/**
 * Validates one converted object and restores its metadata. Follows validateConvertedObject and restoreObjectMeta of
 * apiextensions-apiserver.
 * @param wanted the desired apiVersion
 * @param index of the object in the call
 * @throws ConversionFailure
 */
export function acceptConverted(original: JsonObject, value: JsonValue, wanted: string, index: number): JsonObject {
  const converted = readObject(value)
  checkType(original, converted, wanted, index)
  checkIdentity(original, converted)
  return { ...converted, metadata: restoredMetadata(original, converted) }
}
