/**
 * The codec of custom resources: Go handles them as maps, a version's schema prunes and defaults them, and a webhook may convert
 * them.
 */
import { validationErrors } from '../apply/validate.ts'
import { UnconvertibleError } from '../apply/versions.ts'
import { type Decoded, type FieldValidation, refuseStrictly } from '../catalog/decoded.ts'
import { apiVersionOf, type KindFacts } from '../catalog/kind.ts'
import { areManagedFields } from '../catalog/managed-fields-list.ts'
import type { ListFrame, ObjectCodec, ServedVersion, StoredItem } from '../catalog/object-codec.ts'
import type { Printer } from '../catalog/printers/printer.ts'
import { metadataText, orderedMetadata } from '../catalog/stored-value.ts'
import { isRawNumber, mayHoldWholeDoubles, mayKeepDigits, parseJson, stringify } from '../go/json.ts'
import { isObject } from '../go/json-object.ts'
import { sortedJson } from '../go/json-sorted.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { parseTime } from '../go/time.ts'
import { type FieldError, invalidValue } from '../meta/field-error.ts'
import { type FieldLabelSupport, type SelectableFields, UNSUPPORTED_FIELD_LABEL } from '../meta/field-selector.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import { readTypeMeta, type TypeMeta } from '../meta/type-meta.ts'
import type { Stored } from '../storage/store.ts'
import { withResourceVersion } from '../storage/value-version.ts'
import type { CompiledVersion } from './compiled-version.ts'
import { inStructOrder, withCustomTypeMeta } from './custom-text.ts'
import { type BodyDecoder, decoderOf, type Nulls } from './decode.ts'
import type { DefinitionVersion } from './definition.ts'
import { jsonPathOf } from './json-path.ts'
import { printerOfColumns } from './printer.ts'
import { applyDefaults } from './schema/default.ts'
import { pruneNulls, typeFields } from './schema/prune.ts'
import { storedVersionOf, withoutVersionSuffix, withVersionSuffix } from './version-suffix.ts'
import type { Versions } from './versions.ts'

/** A field for field selectors. */
interface SelectableField {
  readonly name: string
  readonly valueOf: (object: KubernetesObject) => string
}

/** Formats a value as Go's fmt.Sprint does. */
function printed(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return ''
  return isRawNumber(value) ? value.rawJSON : String(value)
}

function selectableFieldsOf({ selectableFields = [] }: DefinitionVersion): SelectableField[] {
  return selectableFields.map(({ jsonPath }) => {
    const path = jsonPathOf(jsonPath)
    const read = (object: KubernetesObject): string => printed(path?.find(object as unknown as JsonObject)[0])
    return { name: jsonPath.replace(/^\./, ''), valueOf: read }
  })
}

/** Whether a field may sort before `metadata`: a declared one, or any one if unknown fields are preserved. */
function mayStandBeforeMetadata({ node, decoding }: CompiledVersion): boolean {
  if (node === undefined || decoding.preservesAll || node.preservesUnknown || node.additional !== undefined) return true
  return [...node.properties.keys()].some((name) => name < 'metadata' && !typeFields.has(name))
}

/** The parts that the codecs of a version share: the served kind's codec and that of unconverted stored objects. */
export interface CodecParts {
  readonly versions: Versions
  readonly decoder: BodyDecoder
  readonly normalize: (object: KubernetesObject) => void
  readonly printer: Printer
  readonly selectableFields: readonly SelectableField[]
  readonly hasFieldsBeforeMetadata: boolean
}

/** Compiles the parts of a version, whose objects have this type. */
export function codecPartsOf(read: CompiledVersion, versions: Versions, type: TypeMeta): CodecParts {
  return {
    versions,
    decoder: decoderOf(read.decoding),
    normalize: (object) => {
      pruneNulls(object as unknown as JsonObject, read.node)
      applyDefaults(object as unknown as JsonObject, read.node)
    },
    printer: printerOfColumns(read.version.additionalPrinterColumns, type),
    selectableFields: selectableFieldsOf(read.version),
    hasFieldsBeforeMetadata: mayStandBeforeMetadata(read),
  }
}

/** Returns a configuration without times and managedFields that cannot be read: runtime.Unstructured has none then. */
function withReadableMetadata(value: JsonObject): JsonObject {
  const { metadata } = value
  if (metadata === undefined || !isObject(metadata)) return value
  const unreadable = ['creationTimestamp', 'deletionTimestamp'].filter((field) => !isTime(metadata[field]))
  if (!areManagedFields(metadata.managedFields ?? [])) unreadable.push('managedFields')
  if (unreadable.length === 0) return value
  return { ...value, metadata: Object.fromEntries(Object.entries(metadata).filter(([field]) => !unreadable.includes(field))) }
}

function isTime(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true
  if (typeof value !== 'string') return false
  try {
    parseTime(value)
    return true
  } catch {
    return false
  }
}

const ofOtherKinds = decoderOf({ node: undefined, preservesAll: true })

/** The codec of one version of a definition. */
export class CustomCodec implements ObjectCodec {
  readonly hasOtherMetadata = false
  readonly typeMeta = 'declared'
  readonly cborType = undefined
  readonly decodedNumbers = 'unstructured'
  readonly strategicMergePatch = 'unsupported'
  readonly internalVersion = 'request'
  readonly typeVaries = true
  readonly #kind: KindFacts
  readonly #parts: CodecParts

  constructor(kind: KindFacts, parts: CodecParts) {
    this.#kind = kind
    this.#parts = parts
  }

  get typeChanged(): boolean {
    return this.#parts.versions.haveChanged
  }

  get hasWebhook(): boolean {
    return this.#parts.versions.hasWebhook
  }

  /**
   * Parses JSON; the last value of a duplicate key counts. Whole doubles are kept verbatim to distinguish them from integers,
   * because their text goes into the stored data.
   */
  parse(text: string): JsonValue {
    return parseJson(text, mayHoldWholeDoubles(text) ? 'verbatim' : 'untyped')
  }

  decode(value: JsonValue, text: string | undefined, validation: FieldValidation, declared?: TypeMeta): Decoded {
    return this.#decode(value, text, validation, 'left out', declared && this.#decoderOf(declared))
  }

  /** Returns the decoder of a body with a declared type: the schema of its version; only metadata is known of another kind. */
  #decoderOf({ apiVersion, kind }: TypeMeta): BodyDecoder | undefined {
    if (kind === this.#kind.kind && apiVersion === this.#kind.apiVersion) return undefined
    const version = apiVersion.slice(apiVersion.indexOf('/') + 1)
    const isSame = kind === this.#kind.kind && apiVersion === apiVersionOf(this.#kind.group, version)
    return isSame ? decoderOf(this.#parts.versions.decodingOf(version)) : ofOtherKinds
  }

  /** Decodes an applied configuration. Nulls are kept, so that the apply refuses them. */
  decodeUnstructured(value: JsonObject, validation: FieldValidation): Decoded {
    return this.#decode(withReadableMetadata(value), undefined, validation, 'kept')
  }

  #decode(
    value: JsonValue,
    text: string | undefined,
    validation: FieldValidation,
    nulls: Nulls,
    decoder = this.#parts.decoder,
  ): Decoded {
    const decoded = decoder(value, text, validation, nulls)
    refuseStrictly(validation, decoded.warnings)
    return decoded
  }

  readPatched(value: JsonValue, patch: string): JsonValue {
    return mayKeepDigits(patch) ? parseJson(stringify(value), 'unstructured') : value
  }

  mismatch(): undefined {
    return undefined
  }

  typeErrors(declared: TypeMeta): FieldError[] {
    const { apiVersion, kind } = this.#kind
    return [
      ...(declared.kind === kind ? [] : [invalidValue('kind', declared.kind, `must be ${kind}`)]),
      ...(declared.apiVersion === apiVersion ? [] : [invalidValue('apiVersion', declared.apiVersion, `must be ${apiVersion}`)]),
    ]
  }

  nullEmptyLists(): void {}

  normalize(object: KubernetesObject): void {
    this.#parts.normalize(object)
  }

  zero(): JsonObject {
    return {}
  }

  /** Encodes the object with sorted keys, metadata included. Metadata comes first even so, because it is cut out from there. */
  encode(object: KubernetesObject, resourceVersion: string): string {
    const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object
    const others = sortedJson(rest as JsonObject)
    const known = sortedJson(orderedMetadata(metadata, resourceVersion) as JsonObject)
    return others === '{}' ? `{"metadata":${known}}` : `{"metadata":${known},${others.slice(1)}`
  }

  encodeAt(object: KubernetesObject, resourceVersion: number): string {
    return this.#inVersion(this.encode(object, String(resourceVersion)), this.#kind.storage.version, resourceVersion)
  }

  encodeAfter(_stored: Stored, object: KubernetesObject, resourceVersion: number): string {
    return this.encodeAt(object, resourceVersion)
  }

  withResourceVersion(stored: Stored, resourceVersion: number): Stored {
    const { writtenAt: _, ...moved } = withResourceVersion(stored, resourceVersion)
    return { ...moved, value: this.#inVersion(moved.value, this.storedVersion(stored), resourceVersion) }
  }

  storedVersion({ value, resourceVersion }: Stored): string {
    return storedVersionOf(value) ?? this.#parts.versions.writtenIn(resourceVersion)
  }

  valueOf({ value, resourceVersion, writtenAt }: Stored): string {
    if (writtenAt === undefined) return value
    return this.#inVersion(value, this.#parts.versions.writtenIn(writtenAt), resourceVersion)
  }

  /** Adds the version suffix, if the resourceVersion does not determine the version. */
  #inVersion(value: string, version: string, resourceVersion: number): string {
    if (this.#parts.versions.writtenIn(resourceVersion) === version) return value
    return withVersionSuffix(value, this.#kind.group, version)
  }

  toRequestVersion(value: string): string {
    const { conversion } = this.#kind
    if (conversion === undefined) return withoutVersionSuffix(value)
    const object = conversion.fromStorage(parseJson(value) as unknown as KubernetesObject)
    return this.encode(object, object.metadata.resourceVersion ?? '')
  }

  storedValueOf(text: string): string {
    const object = parseJson(text) as unknown as KubernetesObject
    const stored = this.#kind.conversion?.toStorage(object) ?? object
    return this.encode(stored, object.metadata.resourceVersion ?? '')
  }

  /** Converts an object without pruning, so that fields unknown to the other version are reported as errors. */
  convert(object: JsonObject, to: ServedVersion): JsonObject {
    const { apiVersion: _apiVersion, kind: _kind, ...own } = object
    const { versions } = this.#parts
    const bare = own as unknown as KubernetesObject
    const converted = versions.hasWebhook ? versions.attempt(bare, this.#kind.version, to.version) : bare
    const { apiVersion: _toVersion, kind: _toKind, ...fields } = converted
    const whole = { apiVersion: to.apiVersion, kind: to.kind, ...fields } as unknown as JsonObject
    const complaint = validationErrors(to.type, whole)
    if (complaint !== undefined) throw new UnconvertibleError(complaint)
    return whole
  }

  unknownVersion(apiVersion: string): UnconvertibleError {
    return new UnconvertibleError(`request to convert CR to an invalid group/version: ${apiVersion}`)
  }

  get printer(): Printer {
    return this.#parts.printer
  }

  /** Items of a list contain apiVersion and kind. */
  get item(): StoredItem | ((value: string) => string) {
    const { conversion, typeMetaPrefix } = this.#kind
    const isWhole = conversion === undefined && !this.#parts.hasFieldsBeforeMetadata
    return isWhole ? { beginning: typeMetaPrefix } : (value) => this.withTypeMeta(value)
  }

  /** Encodes a list as a map, with sorted keys and an empty `continue`. */
  listFrame(metadata: JsonObject): ListFrame {
    const { apiVersion, listKind } = this.#kind
    const sorted = sortedJson({ continue: '', ...metadata })
    return {
      head: `{"apiVersion":${JSON.stringify(apiVersion)},"items":`,
      end: `,"kind":${JSON.stringify(listKind)},"metadata":${sorted}}`,
    }
  }

  withTypeMeta(value: string): string {
    const own = this.toRequestVersion(value)
    if (this.#parts.hasFieldsBeforeMetadata) return withCustomTypeMeta(this.#kind, own)
    return `${this.#kind.typeMetaPrefix}${own.slice(1)}`
  }

  isObject(text: string): boolean {
    if (!this.#parts.hasFieldsBeforeMetadata) return text.startsWith(this.#kind.typeMetaPrefix)
    const declared = readTypeMeta(parseJson(text))
    return typeof declared !== 'string' && declared.kind === this.#kind.kind && declared.apiVersion === this.#kind.apiVersion
  }

  metadataText(value: string): string {
    return inStructOrder(metadataText(value))
  }

  fieldLabels(): FieldLabelSupport {
    const metadata = this.#kind.namespaced ? ['metadata.name', 'metadata.namespace'] : ['metadata.name']
    const own = this.#parts.selectableFields.map(({ name }) => name)
    return { supported: [...metadata, ...own], refusal: UNSUPPORTED_FIELD_LABEL }
  }

  selectableFields(object: KubernetesObject): SelectableFields {
    return Object.fromEntries(this.#parts.selectableFields.map(({ name, valueOf: read }) => [name, read(object)]))
  }
}
