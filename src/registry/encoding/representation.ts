/**
 * The forms in which a client may have objects: as they are, as a Table, or their metadata alone.
 * Follows doTransformObject of k8s.io/apiserver/pkg/endpoints/handlers/response.go, which says what each verb answers.
 */
import type { Kind } from '../../catalog/kind.ts'
import type { Printer } from '../../catalog/printers/printer.ts'
import type { Representation } from '../../clusters/operation.ts'
import { parseJson } from '../../go/json.ts'
import { sortedJson } from '../../go/json-sorted.ts'
import { ApiError } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { readTypeMeta } from '../../meta/type-meta.ts'
import type { ListMetadata } from '../list/pages.ts'
import { encodeValue, toRequestVersion, withTypeMeta } from '../stored-object.ts'
import { internalType } from '../type-meta.ts'
import type { Form, ListFrame } from './json.ts'
import { metadataForm } from './metadata.ts'
import { convertedMetadata, type ProtobufForm, protobufMetadata, protobufObjects } from './protobuf.ts'
import { tableForm } from './table.ts'

/** Whether one object or a list of them is to be written. */
export type Shape = 'object' | 'list'

/** Of custom resources each says in a list, too, what it is. */
function itemOf(kind: Kind): Form['item'] {
  if (kind.custom !== undefined) {
    const isWhole = kind.conversion === undefined && !kind.custom.hasFieldsBeforeMetadata
    return isWhole ? { beginning: kind.typeMetaPrefix } : (value) => withTypeMeta(kind, value)
  }
  return kind.conversion === undefined ? { beginning: '{' } : (value) => toRequestVersion(kind, value)
}

/** A list of custom resources is a map, too, and says also that it does not go on. */
function customFrame({ apiVersion, listKind }: Kind, metadata: ListMetadata): ListFrame {
  const type = { apiVersion: JSON.stringify(apiVersion), kind: JSON.stringify(listKind) }
  const told = sortedJson({ continue: '', ...metadata })
  return { head: `{"apiVersion":${type.apiVersion},"items":`, end: `,"kind":${type.kind},"metadata":${told}}` }
}

function plainForm(kind: Kind): Form {
  const prologue = `{"kind":${JSON.stringify(kind.listKind)},"apiVersion":${JSON.stringify(kind.apiVersion)},"metadata":`
  const frame = (metadata: ListMetadata): ListFrame => ({ head: `${prologue}${JSON.stringify(metadata)},"items":`, end: '}' })
  return {
    name: 'json',
    object: (value) => withTypeMeta(kind, value),
    list: kind.custom === undefined ? frame : (metadata) => customFrame(kind, metadata),
    emptyList: '[]',
    item: itemOf(kind),
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

/** The value, as it would be stored, of a whole object as it is answered. */
function storedValueOf(kind: Kind, text: string): string {
  if (kind.custom === undefined && kind.conversion === undefined) return `{${text.slice(kind.typeMetaPrefix.length)}`
  const object = parseJson(text) as unknown as KubernetesObject
  return encodeValue(kind, kind.conversion?.toStorage(object) ?? object, object.metadata.resourceVersion ?? '')
}

/** Whether an answer is an object of the kind, and no Status. */
function isObjectOf(kind: Kind, text: string): boolean {
  if (kind.custom?.hasFieldsBeforeMetadata !== true) return text.startsWith(kind.typeMetaPrefix)
  const said = readTypeMeta(parseJson(text))
  return typeof said !== 'string' && said.kind === kind.kind && said.apiVersion === kind.apiVersion
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
  if (representation === undefined || !isObjectOf(kind, text)) return text
  const remote = kind.conversion?.remote
  if (remote !== undefined) return represent(remote.shown, text, representation, now)
  return formOf(kind, representation, 'object', now, printer).object(storedValueOf(kind, text))
}
