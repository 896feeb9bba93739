/** Objects as PartialObjectMetadata: their metadata alone. Follows PartialObjectMetadata of meta.k8s.io. */
import type { MetaVersion } from '../clusters/operation.ts'
import { endOfString } from '../meta/json.ts'
import type { Form } from './representation-form.ts'

/** How every stored value begins. */
const beginning = '{"metadata":'

const openings = new Set(['{', '['].map((bracket) => bracket.charCodeAt(0)))
const closings = new Set(['}', ']'].map((bracket) => bracket.charCodeAt(0)))

/** The JSON of a stored object's metadata, cut out without parsing the object. */
export function metadataText(value: string): string {
  let depth = 0
  for (let i = beginning.length; i < value.length; i++) {
    const code = value.charCodeAt(i)
    if (code === 0x22) i = endOfString(value, i)
    else if (openings.has(code)) depth++
    else if (closings.has(code) && --depth === 0) return value.slice(beginning.length, i + 1)
  }
  throw new Error('a stored object without metadata')
}

/** A PartialObjectMetadata, of a stored value. */
export function partialObject(version: MetaVersion, value: string): string {
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}","metadata":${metadataText(value)}}`
}

/**
 * PartialObjectMetadata and its list, the same for every kind.
 * @param shown what is to be shown of a stored value: a webhook may have converted it
 */
export function metadataForm(version: MetaVersion, shown: (value: string) => string = (value) => value): Form {
  const object = (value: string): string => partialObject(version, shown(value))
  return {
    name: `metadata ${version}`,
    object,
    listHead: (metadata) =>
      `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${version}","metadata":${metadata},"items":`,
    emptyList: 'null',
    item: object,
  }
}
