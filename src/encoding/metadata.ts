/** PartialObjectMetadata responses. Follows PartialObjectMetadata of meta.k8s.io. */
import type { Kind } from '../catalog/kind.ts'
import { endOfValue, textOf } from '../go/json-bytes.ts'
import type { JsonView } from './json-view.ts'
import type { MetaVersion } from './view.ts'

const encoder = new TextEncoder()

/** The first bytes of every stored value. */
const beginning = '{"metadata":'

/** Returns the JSON of a value reduced to its metadata. */
export const metadataAlone = (value: Uint8Array): string => `${textOf(value, 0, endOfValue(value, beginning.length))}}`

/** Returns the PartialObjectMetadata of a stored value. */
export function partialObject(kind: Kind, version: MetaVersion, value: string): string {
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}","metadata":${kind.codec.metadataText(value)}}`
}

/** Returns the view of PartialObjectMetadata and its list. */
export function metadataInJson(kind: Kind, version: MetaVersion): JsonView {
  const isConverted = kind.conversion?.remote !== undefined
  const object = (value: string): string => partialObject(kind, version, isConverted ? kind.codec.toRequestVersion(value) : value)
  const listHead = `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${version}","metadata":`
  return {
    name: `metadata ${version}`,
    object,
    list: (metadata) => ({ head: `${listHead}${JSON.stringify(metadata)},"items":`, end: '}' }),
    emptyList: 'null',
    item: object,
    ...(!isConverted && { longItem: (value) => encoder.encode(object(metadataAlone(value))) }),
  }
}
