/**
 * The forms in which a client may have objects: as they are, as a Table, or their metadata alone.
 * Follows doTransformObject of k8s.io/apiserver/pkg/endpoints/handlers/response.go, which says what each verb answers.
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

/** Whether one object or a list of them is to be written. */
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
  const what = shape === 'list' ? `a list (*${internalType(kind)}List)` : `not a list (*${internalType(kind)})`
  return new ApiError(406, 'NotAcceptable', `you requested ${as}, but the requested object is ${what}`)
}

function checkShape(kind: Kind, as: string, shape: Shape): void {
  if ((as === 'PartialObjectMetadataList') !== (shape === 'list')) throw notAcceptable(kind, as, shape)
}

/**
 * @param representation what the client asks for; undefined: the objects as they are
 * @param now tells the time in milliseconds: Tables show ages
 * @param printer how Tables show them, where that is not how the kind is shown
 * @throws ApiError 406 where one object is asked of a list or the other way round, 400 for options that a Table does not have
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
 * The same in protobuf, in which there are no Tables.
 * @throws ApiError 406 where one object is asked of a list or the other way round
 */
export function protobufFormOf(kind: Kind, representation: Representation | undefined, shape: Shape): ProtobufForm {
  if (representation === undefined) return protobufObjects(kind)
  checkShape(kind, representation.as, shape)
  const { version } = representation
  return kind.conversion?.remote === undefined ? protobufMetadata(version) : convertedMetadata(version, kind)
}

/**
 * An answer in the form that the client asks for: a whole object changes, a Status stays.
 * @throws as formOf does, also when the object has been written
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
