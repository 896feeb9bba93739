/**
 * In which representation a body came: its Content-Type against what the endpoint reads.
 * Follows k8s.io/apiserver/pkg/endpoints/handlers/negotiation and, for patches, handlers/patch.go.
 */
import type { Kind } from '../../catalog/kind.ts'
import { messageOfKind } from '../../catalog/protobuf-messages.ts'
import { protobufMediaType } from '../../clusters/operation.ts'
import { ApiError } from '../../meta/errors.ts'
import { isEnabled } from '../../meta/feature-gates.ts'
import { type MediaType, objectMediaTypes } from './negotiate.ts'

/** The kinds of patches, as their Content-Type names them. */
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

/** What a resource reads as a patch. */
export const patchTypes = (): readonly PatchType[] => (isEnabled('CBORServingAndStorage') ? allPatchTypes : textPatchTypes)

/** What a custom resource reads as a patch: its schema has no merge keys. */
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

/** The media type in a Content-Type header in lower case, or undefined where Go's mime.ParseMediaType refuses the header. */
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
 * The representation of a body that is no patch, of those that can be read. None given means JSON.
 * Throws 415 UnsupportedMediaType for anything that cannot be read.
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
 * The same for the body of an object of this kind: custom resources have no message in protobuf.
 */
export function negotiateObject(contentType: string | null, kind: Kind): MediaType {
  const found = negotiateInput(contentType)
  // kube-apiserver tells of protobuf all the same, and closes the connection on it.
  if (found === protobufMediaType && messageOfKind(kind) === undefined) throw unsupportedMediaType(customMediaTypes())
  return found
}

/** The kind of a patch; `supported` is what the resource reads. Throws 415 UnsupportedMediaType. Parameters are ignored. */
export function negotiatePatch(contentType: string | null, supported: readonly PatchType[]): PatchType {
  const [given] = (contentType ?? '').split(';')
  const found = supported.find((type) => type === given)
  if (found === undefined) throw unsupportedMediaType(supported)
  return found
}
