/** The answer of a verb on its way out: as the collection made it, or in the form that the client asked for. */

import { isLarge, largeHeader, protobufMediaType, warningsHeader } from '../../clusters/operation.ts'
import { parseJson } from '../../go/json.ts'
import { asciiJson } from '../../go/text.ts'
import { boundWarnings } from '../../meta/warnings.ts'
import { type Body, chunkedBody } from '../../registry/encoding/body.ts'
import { bodyChunks } from '../codec/body-chunks.ts'
import { renderCbor } from '../codec/cbor.ts'
import { cborListChunks } from '../codec/cbor-list.ts'
import { encodingHeaders } from '../codec/content-encoding.ts'
import { indentedChunks, yamlChunks, yamlListChunks } from '../codec/convert.ts'
import { cborMediaType, type OutputMediaType } from '../codec/negotiate.ts'
import { protobufOfText } from '../codec/protobuf.ts'

/** `Warning: 299` of RFC 7234 for one text. */
export function warningValue(text: string): string {
  // Header values are Latin-1 and one line: what is outside is escaped as Go quotes it.
  return `299 - ${asciiJson(JSON.stringify(text))}`
}

/** Adds a header for each warning, within the bounds of an answer. */
export function addWarnings(headers: Headers, warnings: readonly string[]): void {
  for (const text of boundWarnings(warnings)) headers.append('warning', warningValue(text))
}

/** What the collection answers: one object, or a list (or, instead of either, a Status). */
export type Shape = 'object' | 'list'

/** The collection's JSON in the form that the client asked for. */
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
 * @param inner what the collection answered: JSON, or protobuf where the client takes that
 * @param warnings the Worker's own; the collection's are in a header of `inner`
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
