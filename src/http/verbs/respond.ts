/** Makes the response of a verb: as the collection wrote it, or converted to the negotiated media type. */

import { largeHeader, warningsHeader } from '../../clusters/operation.ts'
import type { WorkerEncoding } from '../../encoding/encoding.ts'
import type { Shown } from '../../encoding/view.ts'
import { boundWarnings } from '../../meta/warnings.ts'
import { bodyChunks } from '../codec/body-chunks.ts'
import { encodingHeaders } from '../codec/content-encoding.ts'
import type { Output } from '../codec/negotiate.ts'

/** Returns the value of a Warning header (RFC 7234, code 299). */
export function warningValue(text: string): string {
  // The runtime writes UTF-8 into headers, as Go does.
  return `299 - "${text.replace(/["\\]/g, '\\$&')}"`
}

/** Adds a Warning header for each text, within the size limits of a response. */
export function addWarnings(headers: Headers, warnings: readonly string[]): void {
  for (const text of boundWarnings(warnings)) headers.append('warning', warningValue(text))
}

/** Returns the encoding's part in the Worker; undefined if the response is passed on as the collection wrote it. */
function conversion(inner: Response, { encoding }: Output): WorkerEncoding | undefined {
  const isWritten = inner.headers.get('content-type') === encoding.mediaType && encoding.mediaType !== 'application/json'
  return isWritten ? undefined : encoding.at.worker
}

/**
 * Makes the response.
 * @param inner the collection's response: JSON, or protobuf if the client accepts it
 * @param warnings of the Worker; the warnings of the collection are in a header of `inner`
 */
export async function respond(
  inner: Response,
  output: Output,
  warnings: readonly string[] = [],
  shown: Shown = 'object',
): Promise<Response> {
  const theirs = inner.headers.get(warningsHeader)
  const large = inner.headers.get(largeHeader) !== null
  const worker = conversion(inner, output)
  if (worker === undefined && theirs === null && !large && warnings.length === 0) return inner
  const json = { text: () => inner.text(), chunks: () => bodyChunks(inner.body) }
  const body = worker === undefined ? { content: inner.body, large } : await worker[shown](json)
  const headers = new Headers({
    'content-type': output.encoding.mediaType,
    'cache-control': 'no-cache, private',
    ...encodingHeaders(output.compression, body.large),
  })
  addWarnings(headers, theirs === null ? warnings : [...warnings, ...(JSON.parse(theirs) as string[])])
  return new Response(body.content, { status: inner.status, headers })
}
