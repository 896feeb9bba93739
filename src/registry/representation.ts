/**
 * The forms in which a client may have objects: as they are, as a Table, or their metadata alone.
 * Follows doTransformObject of k8s.io/apiserver/pkg/endpoints/handlers/response.go, which says what each verb answers.
 */
import type { Kind } from '../catalog/kind.ts'
import type { Representation } from '../clusters/operation.ts'
import { ApiError } from '../meta/errors.ts'
import { parseJson } from '../meta/json.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import { convertedMetadata, type ProtobufForm, protobufMetadata, protobufObjects } from './protobuf-form.ts'
import type { Form } from './representation-form.ts'
import { metadataForm } from './representation-metadata.ts'
import { tableForm } from './representation-table.ts'
import { shownValue, wholeText } from './stored-object.ts'
import { internalType } from './type-meta.ts'

/** Whether one object or a list of them is to be written. */
export type Shape = 'object' | 'list'

/** A list of custom resources says also that it does not go on, and of every item what it is. */
const withContinue = (metadata: string): string =>
  metadata.includes('"continue":') ? metadata : `${metadata.slice(0, -1)},"continue":""}`

function itemOf(kind: Kind): Form['item'] {
  if (kind.custom !== undefined) return (value) => wholeText(kind, value)
  return kind.conversion === undefined ? 'stored' : (value) => shownValue(kind, value)
}

function plainForm(kind: Kind): Form {
  const prologue = `{"kind":${JSON.stringify(kind.listKind)},"apiVersion":${JSON.stringify(kind.apiVersion)},"metadata":`
  return {
    name: 'json',
    object: (value) => wholeText(kind, value),
    listHead: (metadata) => `${prologue}${kind.custom === undefined ? metadata : withContinue(metadata)},"items":`,
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
 * @throws ApiError 406 where one object is asked of a list or the other way round, 400 for options that a Table does not have
 */
export function formOf(kind: Kind, representation: Representation | undefined, shape: Shape, now: () => number): Form {
  if (representation === undefined) return plainFormOf(kind)
  if (representation.as === 'Table') return tableForm(kind, representation, now)
  checkShape(kind, representation.as, shape)
  const { version } = representation
  return kind.conversion?.remote === undefined ? metadataForm(version) : metadataForm(version, (value) => shownValue(kind, value))
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
  const value = `{${text.slice(kind.prologue.length)}`
  if (kind.conversion === undefined) return value
  return JSON.stringify(kind.conversion.toStorage(parseJson(value) as unknown as KubernetesObject))
}

/**
 * An answer in the form that the client asks for: a whole object changes, a Status stays.
 * @throws as formOf does, also when the object has been written
 */
export function represent(kind: Kind, text: string, representation: Representation | undefined, now: () => number): string {
  if (representation === undefined || !text.startsWith(kind.prologue)) return text
  const remote = kind.conversion?.remote
  if (remote !== undefined) return represent(remote.shown, text, representation, now)
  return formOf(kind, representation, 'object', now).object(storedValueOf(kind, text))
}
