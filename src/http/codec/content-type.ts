/**
 * Negotiates the representation of a request's body: its Content-Type against the media types that the endpoint reads.
 * Follows k8s.io/apiserver/pkg/endpoints/handlers/negotiation and, for patches, handlers/patch.go.
 */
import type { Kind } from '../../catalog/kind.ts'
import { messageOfKind } from '../../catalog/protobuf-messages.ts'
import { isEnabled } from '../../config/feature-gates.ts'
import { type MediaType, protobufMediaType } from '../../encoding/media-type.ts'
import { ApiError } from '../../meta/errors.ts'
import { objectMediaTypes } from './negotiate.ts'

/** The patch types, by their Content-Type. */
export type PatchType =
  | 'application/json-patch+json'
  | 'application/merge-patch+json'
  | 'application/strategic-merge-patch+json'
  | ApplyType

/** The representations of apply configurations. */
export type ApplyType = 'application/apply-patch+yaml' | 'application/apply-patch+cbor'

const textPatchTypes: readonly PatchType[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
]
const allPatchTypes: readonly PatchType[] = [...textPatchTypes, 'application/apply-patch+cbor']

/** Returns the patch types of built-in resources. */
export const patchTypes = (): readonly PatchType[] => (isEnabled('CBORServingAndStorage') ? allPatchTypes : textPatchTypes)

/** Returns the patch types of custom resources. Strategic merge patch is missing: their schemas have no merge keys. */
export const customPatchTypes = (): readonly PatchType[] =>
  patchTypes().filter((type) => type !== 'application/strategic-merge-patch+json')

function unsupportedMediaType(accepted: readonly string[]): ApiError {
  return new ApiError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  )
}

const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
const essence = new RegExp(`^\\s*(${token}(?:/${token})?)\\s*(?:;|$)`)
const parameter = new RegExp(`\\s*;\\s*(${token})\\s*=\\s*(?:${token}|"(?:[^"\\\\\\r\\n]|\\\\[^\\r\\n])*")`, 'y')

/** Returns the media type of a Content-Type in lower case, or undefined if Go's mime.ParseMediaType returns an error for it. */
export function parseMediaType(header: string): string | undefined {
  const start = essence.exec(header)?.[1]
  if (start === undefined) return undefined
  const names = new Set<string>()
  let position = header.indexOf(start) + start.length
  for (;;) {
    parameter.lastIndex = position
    const name = parameter.exec(header)?.[1]?.toLowerCase()
    if (name === undefined) break
    if (names.has(name)) return undefined
    names.add(name)
    position = parameter.lastIndex
  }
  const rest = header.slice(position).trim()
  return rest === '' || rest === ';' ? start.toLowerCase() : undefined
}

/**
 * Negotiates the media type of a body that is not a patch. A missing or empty Content-Type means JSON.
 * @param readable the media types that the endpoint reads, as the error message lists them
 * @throws ApiError 415 UnsupportedMediaType for any other media type
 */
export function negotiateInput(contentType: string | null, readable: readonly MediaType[] = objectMediaTypes()): MediaType {
  if (contentType === null || contentType === '') return 'application/json'
  const given = parseMediaType(contentType)
  const found = readable.find((mediaType) => mediaType === given)
  if (found === undefined) throw unsupportedMediaType(readable)
  return found
}

const customMediaTypes = (): readonly MediaType[] => objectMediaTypes().filter((mediaType) => mediaType !== protobufMediaType)

/**
 * Negotiates the media type of the body of an object of this kind. Custom resources have no protobuf message.
 * @throws ApiError 415 UnsupportedMediaType
 */
export function negotiateObject(contentType: string | null, kind: Kind): MediaType {
  const found = negotiateInput(contentType)
  // kube-apiserver's message lists protobuf for custom resources too, but it closes the connection when such a body arrives.
  if (found === protobufMediaType && messageOfKind(kind) === undefined) throw unsupportedMediaType(customMediaTypes())
  return found
}

/**
 * Negotiates the patch type; parameters of the Content-Type are ignored.
 * @param supported the patch types of the resource
 * @throws ApiError 415 UnsupportedMediaType
 */
export function negotiatePatch(contentType: string | null, supported: readonly PatchType[]): PatchType {
  const [given] = (contentType ?? '').split(';')
  const found = supported.find((type) => type === given)
  if (found === undefined) throw unsupportedMediaType(supported)
  return found
}
