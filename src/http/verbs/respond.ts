/** The answer of a verb on its way out: as the collection made it, or in the form that the client asked for. */
import { warningsHeader } from '../../clusters/operation.ts'
import { parseJson } from '../../meta/json.ts'
import { boundWarnings } from '../../meta/warnings.ts'
import type { OutputMediaType } from '../codec/negotiate.ts'
import { render } from '../codec/render.ts'

/** `Warning: 299` of RFC 7234 for one text. */
export function warningValue(text: string): string {
  // Header values are Latin-1 and one line: what is outside is escaped as Go quotes it.
  const quoted = JSON.stringify(text).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `299 - ${quoted}`
}

/**
 * @param inner what the collection answered: JSON
 * @param warnings the Worker's own; the collection's are in a header of `inner`
 */
export async function respond(inner: Response, output: OutputMediaType, warnings: readonly string[] = []): Promise<Response> {
  const theirs = inner.headers.get(warningsHeader)
  const plain = output.mediaType === 'application/json' && !output.pretty
  if (plain && theirs === null && warnings.length === 0) return inner
  const headers = new Headers({ 'content-type': output.mediaType, 'cache-control': 'no-cache, private' })
  const all = theirs === null ? warnings : [...warnings, ...(JSON.parse(theirs) as string[])]
  for (const text of boundWarnings(all)) headers.append('warning', warningValue(text))
  if (plain) return new Response(inner.body, { status: inner.status, headers })
  return new Response(render(parseJson(await inner.text()), output), { status: inner.status, headers })
}
