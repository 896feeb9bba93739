/** The answer of a verb on its way out: as the collection made it, or in the form that the client asked for. */
import { isLarge, largeHeader, warningsHeader } from '../../clusters/operation.ts'
import { parseJson } from '../../meta/json.ts'
import { boundWarnings } from '../../meta/warnings.ts'
import { encodingHeaders } from '../codec/content-encoding.ts'
import type { OutputMediaType } from '../codec/negotiate.ts'
import { render } from '../codec/render.ts'

/** `Warning: 299` of RFC 7234 for one text. */
export function warningValue(text: string): string {
  // Header values are Latin-1 and one line: what is outside is escaped as Go quotes it.
  const quoted = JSON.stringify(text).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `299 - ${quoted}`
}

/** Adds a header for each warning, within the bounds of an answer. */
export function addWarnings(headers: Headers, warnings: readonly string[]): void {
  for (const text of boundWarnings(warnings)) headers.append('warning', warningValue(text))
}

/**
 * @param inner what the collection answered: JSON
 * @param warnings the Worker's own; the collection's are in a header of `inner`
 */
export async function respond(inner: Response, output: OutputMediaType, warnings: readonly string[] = []): Promise<Response> {
  const theirs = inner.headers.get(warningsHeader)
  const large = inner.headers.get(largeHeader) !== null
  const plain = output.mediaType === 'application/json' && !output.pretty
  if (plain && theirs === null && !large && warnings.length === 0) return inner
  const text = plain ? undefined : render(parseJson(await inner.text()), output)
  const headers = new Headers({
    'content-type': output.mediaType,
    'cache-control': 'no-cache, private',
    ...encodingHeaders(output.encoding, text === undefined ? large : isLarge(text)),
  })
  addWarnings(headers, theirs === null ? warnings : [...warnings, ...(JSON.parse(theirs) as string[])])
  return new Response(text ?? inner.body, { status: inner.status, headers })
}
