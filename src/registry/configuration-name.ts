/** How messages name the document of an apply, which may be malformed. */
import { own } from '../apply/value.ts'
import type { Kind } from '../catalog/kind.ts'
import { isObject } from '../go/json-object.ts'
import type { JsonObject } from '../go/json-value.ts'

/** Returns a text of a document; '' if it is no text. */
export const textAt = (object: JsonObject, key: string): string => {
  const value = own(object, key)
  return typeof value === 'string' ? value : ''
}

/** Returns the metadata of a document; empty if they are no object. */
export const metadataOf = (object: JsonObject): JsonObject => {
  const metadata = own(object, 'metadata') ?? null
  return isObject(metadata) ? metadata : {}
}

/** Formats a GroupVersionKind as Go does: `apps/v1, Kind=Deployment`; `/, Kind=` for a malformed apiVersion. */
export function gvkText(apiVersion: string, kind: string): string {
  const parts = apiVersion.split('/')
  if (parts.length > 2) return '/, Kind='
  return `${parts.length === 2 ? apiVersion : `/${apiVersion}`}, Kind=${kind}`
}

/** Formats the configuration as kube-apiserver's messages name it. */
export function called(kind: Kind, configuration: JsonObject): string {
  const metadata = metadataOf(configuration)
  return `${textAt(metadata, 'namespace')}/${textAt(metadata, 'name')}; ${gvkText(kind.apiVersion, kind.kind)}`
}
