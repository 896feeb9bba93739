/**
 * How objects of one kind are read from bodies, kept in storage and shown to clients. Built-in kinds have Go types, custom
 * resources are maps to Go (runtime.Unstructured): whatever follows from that is asked of the codec, and nowhere else.
 * A `value` is the JSON of a stored object: without apiVersion and kind, its metadata first.
 */
import type { UnconvertibleError } from '../apply/versions.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { FieldError } from '../meta/field-error.ts'
import type { FieldLabelSupport, SelectableFields } from '../meta/field-selector.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { TypeMeta } from '../meta/type-meta.ts'
import type { Type } from '../schema/type.ts'
import type { Stored } from '../storage/store.ts'
import type { Decoded, FieldValidation } from './decoded.ts'
import type { Printer } from './printers/printer.ts'

/** Another version of the same resource. */
export interface ServedVersion {
  readonly version: string
  readonly apiVersion: string
  readonly kind: string
  readonly type: Type
  readonly conversion: { readonly fromStorage: (object: KubernetesObject) => KubernetesObject } | undefined
}

/** Reads bodies, and the results of patches. */
interface BodyCodec {
  /** Whether the path implies the apiVersion and kind that a body leaves out, or the body has to declare them. */
  readonly typeMeta: 'implied' | 'declared'
  /** The type along which bodies in CBOR are read; undefined: they are maps, and field validation finds nothing in them. */
  readonly cborType: Type | undefined
  /** How numbers are read in what the Worker has decoded. */
  readonly decodedNumbers: 'verbatim' | 'unstructured'
  readonly strategicMergePatch: 'supported' | 'unsupported'
  /**
   * Reads the JSON of a body.
   * @throws JsonSyntaxError
   */
  parse(text: string): JsonValue
  /**
   * Makes an object of a body that was read: typed or pruned, and defaulted.
   * @param text the body as it came, to find duplicate fields in; undefined if there is no JSON of it
   * @throws DecodeError if a value does not fit its type, StrictDecodeError for Strict
   */
  decode(value: JsonValue, text: string | undefined, validation: FieldValidation): Decoded
  /**
   * The same of an object that was made from parts, which Go converts and does not read.
   * @throws DecodeError with the message of that conversion
   */
  decodeUnstructured(value: JsonObject, validation: FieldValidation): Decoded
  /** The result of a JSON or merge patch as it is decoded. @param patch the document */
  readPatched(value: JsonValue, patch: string): JsonValue
  /** The result of a patch as messages show it. */
  inMessages(value: JsonValue): JsonValue
  /** The reason why an object with this apiVersion and kind is not decoded as one of the kind; undefined if it is. */
  mismatch(said: TypeMeta): string | undefined
  /** Finds what is wrong with the apiVersion and kind of an object that was decoded: validation tells it. */
  typeErrors(said: TypeMeta): FieldError[]
}

/** Between objects and what the store holds. */
interface StorageCodec {
  /** The version in which strategies, printers and field selectors see objects. */
  readonly internalVersion: 'storage' | 'request'
  /** Whether the type may be another one than when fields were recorded as owned. */
  readonly typeVaries: boolean
  /** Whether a webhook converts objects of this kind. */
  readonly hasWebhook: boolean
  /** Makes lists and maps null that storage cannot keep empty, in place. */
  nullEmptyLists(object: KubernetesObject): void
  /** The object with nothing set, as it is encoded: a copy. */
  zero(): JsonObject
  /** The value of an object, its resourceVersion as given; '' leaves it out. */
  encode(object: KubernetesObject, resourceVersion: string): string
  /** The value to store of an object, which is in the storage version. */
  encodeAt(object: KubernetesObject, resourceVersion: number): string
  /** The same of an object that is encoded in `stored`, under a later resourceVersion. */
  encodeAfter(stored: Stored, object: KubernetesObject, resourceVersion: number): string
  /** A stored object under a later resourceVersion. */
  withResourceVersion(stored: Stored, resourceVersion: number): Stored
  /** The version in which an object is stored. */
  storedVersion(stored: Stored): string
  /** The value of an object that may be shown under a later resourceVersion than the one it was written at. */
  valueOf(stored: Stored): string
  /** A value in the version of the kind. */
  toRequestVersion(value: string): string
  /** The value of a whole object as clients get it. */
  storedValueOf(text: string): string
  /**
   * An object in another version, whole, for the sets of managedFields.
   * @throws UnconvertibleError for a field that the other version does not know
   */
  convert(object: JsonObject, to: ServedVersion): JsonObject
  /** The error for an entry of managedFields in a version that is not known; undefined if the entry is dropped. */
  unknownVersion(apiVersion: string): UnconvertibleError | undefined
}

/** A stored value that goes out unread, with other text in the place of the brace that it begins with. */
export interface StoredItem {
  readonly beginning: string
}

/** A list without its objects. */
export interface ListFrame {
  /** Up to the objects: `{…,"items":`. */
  readonly head: string
  /** Behind them. */
  readonly end: string
}

/** Writes answers. */
interface AnswerCodec {
  readonly printer: Printer
  /** How an object stands in a list. */
  readonly item: StoredItem | ((value: string) => string)
  listFrame(metadata: JsonObject): ListFrame
  /** A whole object, of a value. */
  withTypeMeta(value: string): string
  /** Whether an answer is an object of the kind; else it is a Status. */
  isObject(text: string): boolean
  /** The JSON of a value's metadata, its fields in the order of ObjectMeta. */
  metadataText(value: string): string
  /** The fields that selectors may name. */
  fieldLabels(): FieldLabelSupport
  /** Their values in an object of the internal version. */
  selectableFields(object: KubernetesObject, labels: readonly string[]): SelectableFields
}

/** All of it. A codec is made with its kind. */
export interface ObjectCodec extends BodyCodec, StorageCodec, AnswerCodec {}
