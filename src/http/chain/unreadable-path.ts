/** The answers to paths of which nothing can be read: pages and no Status, before anybody is asked who they are. */
import { goQuote } from '../../go/text.ts'
import type { UnreadablePath } from './request-info.ts'

function page(status: number, text: string): Response {
  return new Response(text, {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache, private',
    },
  })
}

/** What would be markup in a page is escaped, as kube-apiserver does it. */
const sanitized = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/**
 * Answers as Go's HTTP server does where a path is no percent-encoding, and as kube-apiserver where a verb ends it.
 * @param location path and query, as they were sent
 */
export function unreadablePath(why: UnreadablePath, location: string): Response {
  if (why === 'broken escapes') return page(400, '400 Bad Request')
  const text = `failed to create RequestInfo: unable to determine kind and namespace from url, ${location}`
  return page(500, `${sanitized(`Internal Server Error: ${goQuote(location)}: ${text}`)}\n`)
}
