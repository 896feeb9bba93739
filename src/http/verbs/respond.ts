/** Makes the response of a verb: as the collection wrote it, or converted to the negotiated media type. */

import { isLarge, largeHeader, protobufMediaType, warningsHeader } from '../../clusters/operation.ts'
import { parseJson } from '../../go/json.ts'
import { boundWarnings } from '../../meta/warnings.ts'
import { type Body, chunkedBody } from '../../registry/encoding/body.ts'
import { bodyChunks } from '../codec/body-chunks.ts'
import { renderCbor } from '../codec/cbor.ts'
import { cborListChunks } from '../codec/cbor-list.ts'
import { encodingHeaders } from '../codec/content-encoding.ts'
import { indentedChunks, yamlChunks, yamlListChunks } from '../codec/convert.ts'
import { cborMediaType, type OutputMediaType } from '../codec/negotiate.ts'
import { protobufOfText } from '../codec/protobuf.ts'

/** Returns the value of a Warning header (RFC 7234, code 299). */
export function warningValue(text: string): string {
  // The runtime writes UTF-8 into headers, as Go does.
  return `299 - "${text.replace(/["\\]/g, '\\$&')}"`
}

/** Adds a Warning header for each text, within the size limits of a response. */
export function addWarnings(headers: Headers, warnings: readonly string[]): void {
  for (const text of boundWarnings(warnings)) headers.append('warning', warningValue(text))
}

/** The body of a collection's response: one object, or a list. Instead of either it may be a Status. */
export type Shape = 'object' | 'list'

/** Converts the collection's JSON to the negotiated media type. */
async function converted(inner: Response, output: OutputMediaType, shape: Shape): Promise<Body> {
  if (output.mediaType === protobufMediaType) {
    const bytes = protobufOfText(await inner.text())
    return { content: bytes, large: isLarge(bytes) }
  }
  if (output.mediaType === cborMediaType) {
    if (shape === 'list') return chunkedBody(cborListChunks(bodyChunks(inner.body)))
    const bytes = renderCbor(parseJson(await inner.text()))
    return { content: bytes, large: isLarge(bytes) }
  }
  if (output.mediaType === 'application/json') return chunkedBody(indentedChunks(bodyChunks(inner.body)))
  return chunkedBody(shape === 'list' ? yamlListChunks(bodyChunks(inner.body)) : yamlChunks(await inner.text()))
}

/**
 * Makes the response.
 * @param inner the collection's response: JSON, or protobuf if the client accepts it
 * @param warnings of the Worker; the warnings of the collection are in a header of `inner`
 */
export async function respond(
  inner: Response,
  output: OutputMediaType,
  warnings: readonly string[] = [],
  shape: Shape = 'object',
): Promise<Response> {
  const theirs = inner.headers.get(warningsHeader)
  const large = inner.headers.get(largeHeader) !== null
  const plain =
    output.mediaType === inner.headers.get('content-type') && !(output.mediaType === 'application/json' && output.pretty)
  if (plain && theirs === null && !large && warnings.length === 0) return inner
  const body = plain ? { content: inner.body, large } : await converted(inner, output, shape)
  const headers = new Headers({
    'content-type': output.mediaType,
    'cache-control': 'no-cache, private',
    ...encodingHeaders(output.encoding, body.large),
  })
  addWarnings(headers, theirs === null ? warnings : [...warnings, ...(JSON.parse(theirs) as string[])])
  return new Response(body.content, { status: inner.status, headers })
}
