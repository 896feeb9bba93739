/** Responses to malformed paths: text pages instead of a Status, before authentication. */
import { goQuote } from '../../go/text.ts'
import type { UnreadablePath } from '../request-info.ts'

const plainText = { 'content-type': 'text/plain; charset=utf-8' }

/** Escapes markup in a page as kube-apiserver does. */
const sanitized = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/**
 * Returns the response of Go's HTTP server if the path has a broken escape, and that of kube-apiserver if it ends with a verb.
 * @param location path and query as the client sent them
 */
export function unreadablePath(why: UnreadablePath, location: string): Response {
  if (why === 'broken escapes') return new Response('400 Bad Request', { status: 400, headers: plainText })
  const text = `failed to create RequestInfo: unable to determine kind and namespace from url, ${location}`
  const page = `${sanitized(`Internal Server Error: ${goQuote(location)}: ${text}`)}\n`
  return new Response(page, { status: 500, headers: { ...plainText, 'x-content-type-options': 'nosniff' } })
}
