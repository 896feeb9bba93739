/** Objects as PartialObjectMetadata: their metadata alone. Follows PartialObjectMetadata of meta.k8s.io. */
import type { Kind } from '../../catalog/kind.ts'
import type { MetaVersion } from '../../clusters/operation.ts'
import { endOfValue, textOf } from '../../go/json-bytes.ts'
import type { Form } from './json.ts'

const encoder = new TextEncoder()

/** How every stored value begins. */
const beginning = '{"metadata":'

/** Returns a value that has nothing but the metadata of a longer one. */
export const metadataAlone = (value: Uint8Array): string => `${textOf(value, 0, endOfValue(value, beginning.length))}}`

/** A PartialObjectMetadata, of a stored value. */
export function partialObject(kind: Kind, version: MetaVersion, value: string): string {
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}","metadata":${kind.codec.metadataText(value)}}`
}

/** PartialObjectMetadata and its list, much the same for every kind. */
export function metadataForm(kind: Kind, version: MetaVersion): Form {
  const isConverted = kind.conversion?.remote !== undefined
  const object = (value: string): string => partialObject(kind, version, isConverted ? kind.codec.toRequestVersion(value) : value)
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
