/** The codec of kinds with Go types: their type tables control decoding, field order and defaults. */
import { parseJson } from '../go/json.ts'
import { duplicateFields } from '../go/json-duplicates.ts'
import { structJson } from '../go/json-sorted.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { compareText, goQuote } from '../go/text.ts'
import type { FieldLabelSupport, SelectableFields } from '../meta/field-selector.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { TypeMeta } from '../meta/type-meta.ts'
import { conversionError, wrapIntegers } from '../schema/convert.ts'
import { decode } from '../schema/decode.ts'
import { DecodeError } from '../schema/decode-run.ts'
import { nullEmptyLists } from '../schema/empty-lists.ts'
import { recordExplicitEmpty } from '../schema/explicit-empty.ts'
import { parseMerged } from '../schema/merged.ts'
import { strictErrors } from '../schema/strict.ts'
import type { Type } from '../schema/type.ts'
import type { Stored } from '../storage/store.ts'
import { withResourceVersion } from '../storage/value-version.ts'
import { type Decoded, type FieldValidation, keepEmptyManagers, refuseStrictly } from './decoded.ts'
import { applyKindDefaults } from './defaulting/defaults.ts'
import { templateGeneration } from './defaulting/deprecated-annotations.ts'
import type { KindFacts } from './kind.ts'
import type { ListFrame, ObjectCodec, ServedVersion, StoredItem } from './object-codec.ts'
import type { Printer } from './printers/printer.ts'
import { printerOf } from './printers/printers.ts'
import { mismatch } from './registered-kinds.ts'
import { fieldLabelsOf, selectableFieldsOf } from './selectable-fields.ts'
import { metadataText, orderedMetadata } from './stored-value.ts'

const zeros = new WeakMap<Type, JsonObject>()

/**
 * Returns the field validation messages for a body. Parses the text strictly only if it has unknown or duplicate fields. Go's
 * conversion of an unstructured object sorts its messages and does not escape the names.
 */
function findings(
  type: Type,
  value: JsonValue,
  text: string | undefined,
  unknownFields: readonly string[],
  unstructured: boolean,
): readonly string[] {
  if (unstructured) return unknownFields.map((field) => `unknown field "${field}"`).sort(compareText)
  if (text === undefined) return unknownFields.map((field) => `unknown field ${goQuote(field)}`)
  return unknownFields.length > 0 || duplicateFields(text, value).length > 0 ? strictErrors(type, text) : []
}

/** Removes the annotation that the internal version of a DaemonSet has in a field of its spec. */
function withoutTemplateGeneration(text: string): string {
  const metadata = parseJson(text) as { annotations?: Record<string, string> }
  if (metadata.annotations === undefined) return text
  const { [templateGeneration]: _, ...annotations } = metadata.annotations
  metadata.annotations = annotations
  if (Object.keys(annotations).length === 0) delete metadata.annotations
  return structJson(metadata)
}

/** Reads and writes the objects of one built-in kind. */
export class BuiltInCodec implements ObjectCodec {
  readonly typeMeta = 'implied'
  readonly decodedNumbers = 'verbatim'
  readonly strategicMergePatch = 'supported'
  readonly internalVersion = 'storage'
  readonly typeVaries = false
  readonly typeChanged = false
  readonly hasWebhook = false
  readonly hasOtherMetadata: boolean
  readonly #kind: KindFacts

  constructor(kind: KindFacts) {
    this.#kind = kind
    this.hasOtherMetadata = kind.group === 'apps' && kind.kind === 'DaemonSet'
  }

  get cborType(): Type {
    return this.#kind.type
  }

  parse(text: string): JsonValue {
    const value = parseJson(text, 'verbatim')
    return duplicateFields(text, value).length === 0 ? value : parseMerged(text, this.#kind.type)
  }

  decode(value: JsonValue, text: string | undefined, validation: FieldValidation): Decoded {
    return this.#decode(value, text, validation, false)
  }

  decodeUnstructured(value: JsonObject, validation: FieldValidation): Decoded {
    return this.#fromParts(value, (object) => this.#decode(object, undefined, validation, true))
  }

  /**
   * Reads an object made from parts. An integer that does not fit its field wraps around, as Go's conversion does.
   * @throws DecodeError for other values that do not fit
   */
  #fromParts<T>(value: JsonObject, read: (value: JsonValue) => T): T {
    try {
      return read(value)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      const { type } = this.#kind
      const why = conversionError(type, value)
      if (why !== undefined) throw new DecodeError(why)
      return read(wrapIntegers(type, value))
    }
  }

  #decode(value: JsonValue, text: string | undefined, validation: FieldValidation, unstructured: boolean): Decoded {
    const kind = this.#kind
    const strict = validation !== 'Ignore'
    const { object, unknownFields, explicitEmpty } = decode(kind.type, value, { strict, unstructured })
    const decoded = object as unknown as KubernetesObject
    const warnings = strict ? findings(kind.type, value, text, unknownFields, unstructured) : []
    if (unstructured) refuseStrictly(validation, warnings)
    keepEmptyManagers(value, decoded)
    recordExplicitEmpty(decoded, explicitEmpty)
    applyKindDefaults(kind, decoded)
    // A body is also converted to the internal version before it is rejected, so that an error of the conversion comes first.
    refuseStrictly(validation, warnings)
    return { object: decoded, warnings }
  }

  readPatched(value: JsonValue): JsonValue {
    return value
  }

  mismatch(typeMeta: TypeMeta): string | undefined {
    return mismatch(this.#kind, typeMeta)
  }

  /** Returns no errors: decoding has already checked apiVersion and kind against the scheme. */
  typeErrors(): [] {
    return []
  }

  nullEmptyLists(object: KubernetesObject): void {
    // kube-apiserver stores definitions of custom resources as JSON, which keeps empty lists.
    if (this.#kind.group === 'apiextensions.k8s.io') return
    nullEmptyLists(this.#kind.type, object as unknown as JsonObject)
  }

  normalize(): void {}

  /** Returns a copy of the empty object: required structs are present and empty. */
  zero(): JsonObject {
    const { type } = this.#kind
    let zero = zeros.get(type)
    if (zero === undefined) {
      zero = decode(type, {}).object
      zeros.set(type, zero)
    }
    return structuredClone(zero)
  }

  encode(object: KubernetesObject, resourceVersion: string): string {
    const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object
    return structJson({ metadata: orderedMetadata(metadata, resourceVersion), ...rest })
  }

  encodeAt(object: KubernetesObject, resourceVersion: number): string {
    return this.encode(object, String(resourceVersion))
  }

  encodeAfter(stored: Stored, _object: KubernetesObject, resourceVersion: number): string {
    return withResourceVersion(stored, resourceVersion).value
  }

  withResourceVersion(stored: Stored, resourceVersion: number): Stored {
    const { writtenAt: _, ...moved } = withResourceVersion(stored, resourceVersion)
    return moved
  }

  storedVersion(): string {
    return this.#kind.storage.version
  }

  valueOf({ value }: Stored): string {
    return value
  }

  toRequestVersion(value: string): string {
    const { conversion } = this.#kind
    if (conversion === undefined || conversion.keepsJson?.() === true) return value
    return structJson(conversion.fromStorage(parseJson(value) as unknown as KubernetesObject))
  }

  storedValueOf(text: string): string {
    const { conversion, typeMetaPrefix } = this.#kind
    if (conversion === undefined) return `{${text.slice(typeMetaPrefix.length)}`
    const object = parseJson(text) as unknown as KubernetesObject
    return this.encode(conversion.toStorage(object), object.metadata.resourceVersion ?? '')
  }

  /** Converts through the storage version, without defaults: an apply must not take them for fields of the object. */
  convert(object: JsonObject, to: ServedVersion): JsonObject {
    const read = this.#fromParts(object, (from) => decode(this.#kind.type, from, { strict: false, unstructured: true }).object)
    const { apiVersion: _apiVersion, kind: _kind, ...decoded } = read as unknown as KubernetesObject
    const { conversion } = this.#kind
    const toStorage = conversion?.toStorageAsIs ?? conversion?.toStorage
    const stored = toStorage?.(decoded as KubernetesObject) ?? (decoded as KubernetesObject)
    const converted = to.conversion?.fromStorage(stored) ?? stored
    return { apiVersion: to.apiVersion, kind: to.kind, ...(converted as unknown as JsonObject) }
  }

  unknownVersion(): undefined {
    return undefined
  }

  get printer(): Printer {
    return printerOf(this.#kind)
  }

  get item(): StoredItem | ((value: string) => string) {
    const { conversion } = this.#kind
    const isKept = conversion === undefined || conversion.keepsJson?.() === true
    return isKept ? { beginning: '{' } : (value) => this.toRequestVersion(value)
  }

  listFrame(metadata: JsonObject): ListFrame {
    const { listKind, apiVersion } = this.#kind
    const type = `"kind":${JSON.stringify(listKind)},"apiVersion":${JSON.stringify(apiVersion)}`
    return { head: `{${type},"metadata":${JSON.stringify(metadata)},"items":`, end: '}' }
  }

  withTypeMeta(value: string): string {
    return `${this.#kind.typeMetaPrefix}${this.toRequestVersion(value).slice(1)}`
  }

  isObject(text: string): boolean {
    return text.startsWith(this.#kind.typeMetaPrefix)
  }

  metadataText(value: string): string {
    const text = metadataText(value)
    return this.hasOtherMetadata ? withoutTemplateGeneration(text) : text
  }

  fieldLabels(): FieldLabelSupport {
    return fieldLabelsOf(this.#kind)
  }

  selectableFields(object: KubernetesObject, labels: readonly string[]): SelectableFields {
    return selectableFieldsOf(this.#kind, object, labels)
  }
}
