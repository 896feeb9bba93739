/**
 * The codec of one kind: reads its objects from bodies, stores them and writes them to clients. Built-in kinds have Go types,
 * custom resources are maps in Go (runtime.Unstructured). All differences that follow from that are in the codecs. A `value` is
 * the JSON of a stored object: without apiVersion and kind, its metadata first.
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

/** Reads request bodies and the results of patches. */
interface BodyCodec {
  /** Whether a body may leave out apiVersion and kind, which then follow from the path, or must declare them. */
  readonly typeMeta: 'implied' | 'declared'
  /** The type by which CBOR bodies are decoded. If it is undefined, they are maps and field validation has no findings. */
  readonly cborType: Type | undefined
  /** How numbers are represented in a decoded body. */
  readonly decodedNumbers: 'verbatim' | 'unstructured'
  readonly strategicMergePatch: 'supported' | 'unsupported'
  /**
   * Parses a JSON body.
   * @throws JsonSyntaxError if the text is not JSON
   */
  parse(text: string): JsonValue
  /**
   * Makes an object of a parsed body: typed or pruned, with defaults.
   * @param text the text of the body, to find duplicate fields; undefined if the body was not JSON
   * @param declared the type that the body declares, by which its fields may be known; by default that of the kind
   * @throws DecodeError if a value does not fit its type, StrictDecodeError for Strict
   */
  decode(value: JsonValue, text: string | undefined, validation: FieldValidation, declared?: TypeMeta): Decoded
  /**
   * Makes an object of a value that Go converts from runtime.Unstructured instead of decoding it.
   * @throws DecodeError with the message of that conversion
   */
  decodeUnstructured(value: JsonObject, validation: FieldValidation): Decoded
  /** Returns the result of a JSON or merge patch in the form that `decode` takes. @param patch the patch document */
  readPatched(value: JsonValue, patch: string): JsonValue
  /** Returns the reason that an object with this apiVersion and kind cannot be decoded as this kind, or undefined. */
  mismatch(typeMeta: TypeMeta): string | undefined
  /** Returns the validation errors about the apiVersion and kind of a decoded object. */
  typeErrors(typeMeta: TypeMeta): FieldError[]
}

/** Converts between objects and stored values. */
interface StorageCodec {
  /** The version of the objects that strategies, printers and field selectors use. */
  readonly internalVersion: 'storage' | 'request'
  /** Whether the type can have changed since managedFields were recorded. */
  readonly typeVaries: boolean
  /** Whether the type has changed since objects were stored, so that they may not fit it. */
  readonly typeChanged: boolean
  /** Whether a webhook converts objects of this kind. */
  readonly hasWebhook: boolean
  /** Sets lists and maps to null in place that storage cannot keep empty. */
  nullEmptyLists(object: KubernetesObject): void
  /**
   * Changes an object in place as kube-apiserver does whenever it reads one, without nulls and with defaults: for writes that do not
   * decode the object.
   */
  normalize(object: KubernetesObject): void
  /** Returns a copy of the encoded object without any field set. */
  zero(): JsonObject
  /** Encodes an object to its value with this resourceVersion; '' leaves it out. */
  encode(object: KubernetesObject, resourceVersion: string): string
  /** Encodes an object in the storage version to the value that is stored. */
  encodeAt(object: KubernetesObject, resourceVersion: number): string
  /** Encodes an object whose earlier state is `stored`, with a later resourceVersion. */
  encodeAfter(stored: Stored, object: KubernetesObject, resourceVersion: number): string
  /** Returns the stored object with a later resourceVersion. */
  withResourceVersion(stored: Stored, resourceVersion: number): Stored
  /** Returns the version in which an object is stored. */
  storedVersion(stored: Stored): string
  /** Returns the value of an object. Its resourceVersion may be later than that of its last write. */
  valueOf(stored: Stored): string
  /** Converts a value to the version of the kind. */
  toRequestVersion(value: string): string
  /** Returns the value of a whole object in the form that clients receive. */
  storedValueOf(text: string): string
  /**
   * Converts a whole object to another version, for the field sets of managedFields.
   * @throws UnconvertibleError for a field that the other version does not have
   */
  convert(object: JsonObject, to: ServedVersion): JsonObject
  /** Returns the error for a managedFields entry with an unknown version; undefined if the entry is dropped. */
  unknownVersion(apiVersion: string): UnconvertibleError | undefined
}

/** A stored value that is sent without parsing it: `beginning` replaces its opening brace. */
export interface StoredItem {
  readonly beginning: string
}

/** The text of a list before and after its objects. */
export interface ListFrame {
  /** The text before the objects: `{…,"items":`. */
  readonly head: string
  /** The text after the objects. */
  readonly end: string
}

/** Writes responses. */
interface AnswerCodec {
  readonly printer: Printer
  /** How an object is written as an item of a list. */
  readonly item: StoredItem | ((value: string) => string)
  listFrame(metadata: JsonObject): ListFrame
  /**
   * Returns the JSON of an object with apiVersion and kind, in the version of this codec's kind.
   * @param value the JSON of a stored object, which begins with metadata
   * @example
   * const stored = store.get('configmaps/default/settings')
   * const text = stored && kind.codec.withTypeMeta(stored.value)
   * // {"kind":"ConfigMap","apiVersion":"v1","metadata":{…},"data":{…}}
   */
  withTypeMeta(value: string): string
  /** Whether a response is an object of the kind and not a Status. */
  isObject(text: string): boolean
  /** Whether `metadataText` differs from the metadata of the stored value. */
  readonly hasOtherMetadata: boolean
  /** Returns the JSON of a value's metadata in the internal version, with the fields in the order of ObjectMeta. */
  metadataText(value: string): string
  /** Returns the fields that field selectors may use. */
  fieldLabels(): FieldLabelSupport
  /** Returns the values of these fields in an object of the internal version. */
  selectableFields(object: KubernetesObject, labels: readonly string[]): SelectableFields
}

/** The codec of a kind. It is created with its kind. */
export interface ObjectCodec extends BodyCodec, StorageCodec, AnswerCodec {}
