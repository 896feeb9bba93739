/** Objects as PartialObjectMetadata: their metadata alone. Follows PartialObjectMetadata of meta.k8s.io. */
import type { Kind } from '../../catalog/kind.ts'
import type { MetaVersion } from '../../clusters/operation.ts'
import { endOfValue as endOfBytes, textOf } from '../../go/json-bytes.ts'
import { endOfValue } from '../../go/json-members.ts'
import { toRequestVersion } from '../stored-object.ts'
import { inStructOrder } from './custom-text.ts'
import type { Form } from './json.ts'

const encoder = new TextEncoder()

/** How every stored value begins. */
const beginning = '{"metadata":'

/** The JSON of a stored object's metadata, cut out without parsing the object. */
export function metadataText(value: string): string {
  return value.slice(beginning.length, endOfValue(value, beginning.length))
}

/** A stored value with nothing but its metadata, of the bytes of a longer one. */
export const metadataAlone = (value: Uint8Array): string => `${textOf(value, 0, endOfBytes(value, beginning.length))}}`

/** The JSON of the metadata in the order in which Go writes the fields of ObjectMeta, which metadata of custom resources are not stored in. */
function metadataOf({ custom }: Kind, value: string): string {
  const text = metadataText(value)
  return custom === undefined ? text : inStructOrder(text)
}

/** A PartialObjectMetadata, of a stored value. */
export function partialObject(kind: Kind, version: MetaVersion, value: string): string {
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}","metadata":${metadataOf(kind, value)}}`
}

/** PartialObjectMetadata and its list, much the same for every kind. */
export function metadataForm(kind: Kind, version: MetaVersion): Form {
  const isConverted = kind.conversion?.remote !== undefined
  const object = (value: string): string => partialObject(kind, version, isConverted ? toRequestVersion(kind, value) : value)
  const prologue = `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${version}","metadata":`
  return {
    name: `metadata ${version}`,
    object,
    list: (metadata) => ({ head: `${prologue}${JSON.stringify(metadata)},"items":`, end: '}' }),
    emptyList: 'null',
    item: object,
    ...(!isConverted && { longItem: (value) => encoder.encode(object(metadataAlone(value))) }),
  }
}
