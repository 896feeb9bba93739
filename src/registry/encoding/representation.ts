/**
 * Representations of objects in responses: the object itself, a Table, or PartialObjectMetadata.
 * Follows doTransformObject of k8s.io/apiserver/pkg/endpoints/handlers/response.go.
 */
import type { Kind } from '../../catalog/kind.ts'
import type { Printer } from '../../catalog/printers/printer.ts'
import { internalType } from '../../catalog/registered-kinds.ts'
import type { Representation } from '../../clusters/operation.ts'
import { ApiError } from '../../meta/errors.ts'
import type { Form } from './json.ts'
import { metadataForm } from './metadata.ts'
import { convertedMetadata, type ProtobufForm, protobufMetadata, protobufObjects } from './protobuf.ts'
import { tableForm } from './table.ts'

/** Whether the response is one object or a list. */
export type Shape = 'object' | 'list'

function plainForm({ codec }: Kind): Form {
  return {
    name: 'json',
    object: (value) => codec.withTypeMeta(value),
    list: (metadata) => codec.listFrame({ ...metadata }),
    emptyList: '[]',
    item: codec.item,
  }
}

const plainForms = new WeakMap<Kind, Form>()

function plainFormOf(kind: Kind): Form {
  let form = plainForms.get(kind)
  if (form === undefined) {
    form = plainForm(kind)
    plainForms.set(kind, form)
  }
  return form
}

function notAcceptable(kind: Kind, as: string, shape: Shape): ApiError {
  // To Go a custom resource may be a list, until its items are read.
  if (kind.definition !== undefined && shape === 'object') return new ApiError(500, '', 'content is not a list')
  const list = kind.definition === undefined ? `${internalType(kind)}List` : 'unstructured.UnstructuredList'
  const what = shape === 'list' ? `a list (*${list})` : `not a list (*${internalType(kind)})`
  return new ApiError(406, 'NotAcceptable', `you requested ${as}, but the requested object is ${what}`)
}

function checkShape(kind: Kind, as: string, shape: Shape): void {
  if ((as === 'PartialObjectMetadataList') !== (shape === 'list')) throw notAcceptable(kind, as, shape)
}

/**
 * Returns the JSON form of a representation.
 * @param representation the representation that the client requested; undefined for the object itself
 * @param now returns the time in milliseconds: Tables show ages
 * @param printer the printer of Tables, if not that of the kind
 * @throws ApiError 406 if a single object is requested of a list or vice versa, 400 for invalid Table options
 */
export function formOf(
  kind: Kind,
  representation: Representation | undefined,
  shape: Shape,
  now: () => number,
  printer?: Printer,
): Form {
  if (representation === undefined) return plainFormOf(kind)
  if (representation.as === 'Table') return tableForm(kind, representation, now, printer)
  checkShape(kind, representation.as, shape)
  return metadataForm(kind, representation.version)
}

/**
 * Returns the protobuf form of a representation. Tables have no protobuf form.
 * @throws ApiError 406 if a single object is requested of a list or vice versa
 */
export function protobufFormOf(kind: Kind, representation: Representation | undefined, shape: Shape): ProtobufForm {
  if (representation === undefined) return protobufObjects(kind)
  checkShape(kind, representation.as, shape)
  const { version } = representation
  const isStored = kind.conversion?.remote === undefined && !kind.codec.hasOtherMetadata
  return isStored ? protobufMetadata(version) : convertedMetadata(version, kind)
}

/**
 * Converts the JSON of a response to the representation that the client requested. Objects are converted, a Status is returned
 * unchanged.
 * @throws ApiError as `formOf` does, even if a write has been committed before
 */
export function represent(
  kind: Kind,
  text: string,
  representation: Representation | undefined,
  now: () => number,
  printer?: Printer,
): string {
  if (representation === undefined || !kind.codec.isObject(text)) return text
  if (kind.conversion?.remote !== undefined) return represent(kind.asStored(), text, representation, now)
  return formOf(kind, representation, 'object', now, printer).object(kind.codec.storedValueOf(text))
}

/**
 * Returns the representation of a stored value. Tables of built-in kinds show it without the conversion to the version of the
 * request, which does not keep everything: the order of metrics in autoscaling/v1.
 * @throws ApiError as `formOf` does
 */
export function representStored(
  kind: Kind,
  value: string,
  representation: Representation | undefined,
  now: () => number,
): string {
  if (representation === undefined || kind.conversion === undefined || kind.definition !== undefined)
    return represent(kind, kind.codec.withTypeMeta(value), representation, now)
  return formOf(kind, representation, 'object', now).object(value)
}
