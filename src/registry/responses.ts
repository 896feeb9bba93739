/** Makes the responses of a collection's Durable Object to the Worker. */
import type { Kind } from '../catalog/kind.ts'
import { findingsHeader, largeHeader, type Operation, warningsHeader } from '../clusters/operation.ts'
import { type Body, textBody } from '../encoding/body.ts'
import { show, showStored } from '../encoding/kind-views.ts'
import type { ProtobufMediaType } from '../encoding/media-type.ts'
import { asciiJson } from '../go/text.ts'
import { ApiError } from '../meta/errors.ts'
import { boundWarnings } from '../meta/warnings.ts'
import type { Registry, WriteResult } from './registry.ts'
import type { SubresourceView } from './subresources/view.ts'

/**
 * Returns the headers that the client gets. The Worker passes a response on without a copy, unless it needs another
 * representation.
 */
export const headersOf = ({ answerHeaders }: Operation, mediaType?: ProtobufMediaType): Record<string, string> => ({
  'content-type': mediaType ?? 'application/json',
  'cache-control': 'no-cache, private',
  ...answerHeaders,
})

/** Returns the response with a body. */
export function sent(
  operation: Operation,
  code: number,
  { content, large, mediaType }: Body,
  warnings: readonly string[] = [],
): Response {
  const headers = headersOf(operation, mediaType)
  if (warnings.length > 0) headers[warningsHeader] = asciiJson(JSON.stringify(boundWarnings(warnings)))
  if (large) headers[largeHeader] = '1'
  return new Response(content, { status: code, headers })
}

/**
 * Returns the text of a response with one object, in the representation that the operation asks for.
 * @throws ApiError with the warnings of the write: it has been committed, also if the representation does not fit
 */
function representedText(
  registry: Registry,
  kind: Kind,
  view: SubresourceView | undefined,
  { representation }: Operation,
  { text, stored, warnings = [], findings }: WriteResult,
): string {
  try {
    if (stored !== undefined) return showStored(kind, stored, representation, registry.now)
    return show(view?.kind ?? kind, text, representation, registry.now, view?.printer)
  } catch (error) {
    if (error instanceof ApiError) error.warning(warnings).findings ??= findings
    throw error
  }
}

/** Returns the response with one object. */
export function objectResponse(
  registry: Registry,
  kind: Kind,
  view: SubresourceView | undefined,
  operation: Operation,
  result: WriteResult,
): Response {
  const { code, warnings, findings } = result
  const body = textBody(`${representedText(registry, kind, view, operation, result)}\n`)
  if (operation.verb === 'get') registry.metrics?.read(kind, operation.target, body)
  const response = sent(operation, code, body, warnings)
  if (findings !== undefined) response.headers.set(findingsHeader, asciiJson(JSON.stringify(findings)))
  return response
}
