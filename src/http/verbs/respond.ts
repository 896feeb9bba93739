/** The answer of a verb on its way out: as the collection made it, or in the form that the client asked for. */
import { isLarge, largeHeader, warningsHeader } from '../../clusters/operation.ts'
import { encodingHeaders } from '../codec/content-encoding.ts'
import type { OutputMediaType } from '../codec/negotiate.ts'
import { renderText } from '../codec/render.ts'

/** `Warning: 299` of RFC 7234 for one text. */
export function warningValue(text: string): string {
  // Header values are Latin-1 and one line: what is outside is escaped as Go quotes it.
  const quoted = JSON.stringify(text).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `299 - ${quoted}`
}

/** Most warnings of an answer, and most characters of all of them together. */
const maximumWarnings = 100
const maximumWarningCharacters = 4096

/** Adds a header for each warning, within the bounds of an answer. */
export function addWarnings(headers: Headers, warnings: readonly string[]): void {
  let length = 0
  for (const text of warnings.slice(0, maximumWarnings)) {
    const value = warningValue(text)
    length += value.length
    if (length > maximumWarningCharacters) return
    headers.append('warning', value)
  }
}

/**
 * @param inner what the collection answered: JSON, or protobuf where the client takes that
 * @param warnings the Worker's own; the collection's are in a header of `inner`
 */
export async function respond(inner: Response, output: OutputMediaType, warnings: readonly string[] = []): Promise<Response> {
  const theirs = inner.headers.get(warningsHeader)
  const large = inner.headers.get(largeHeader) !== null
  const plain =
    output.mediaType === inner.headers.get('content-type') && !(output.mediaType === 'application/json' && output.pretty)
  if (plain && theirs === null && !large && warnings.length === 0) return inner
  const body = plain ? undefined : renderText(await inner.text(), output)
  const headers = new Headers({
    'content-type': output.mediaType,
    'cache-control': 'no-cache, private',
    ...encodingHeaders(output.encoding, body === undefined ? large : isLarge(body)),
  })
  if (warnings.length > 0) addWarnings(headers, warnings)
  if (theirs !== null) addWarnings(headers, JSON.parse(theirs) as string[])
  return new Response(body ?? inner.body, { status: inner.status, headers })
}
