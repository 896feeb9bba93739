/** Objects as PartialObjectMetadata: their metadata alone. Follows PartialObjectMetadata of meta.k8s.io. */
import type { Kind } from '../../catalog/kind.ts'
import type { MetaVersion } from '../../clusters/operation.ts'
import type { Form } from './json.ts'

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
  }
}
