/** What a path is answered that nothing serves: a Status below the built-in kinds' routes, a page elsewhere. */
import { ApiError } from '../../meta/errors.ts'
import { noCache } from '../codec/headers.ts'
import type { Discovery } from './discovery.ts'

/** Go's answer to an unknown path. */
export function pageNotFound(): Response {
  return new Response('404 page not found\n', {
    status: 404,
    headers: { ...noCache, 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
  })
}

/**
 * The answer to a path that nothing serves: throws 404 NotFound below /api, /version and the built-in groups, gives a page for
 * others, among them those of custom resources.
 */
export function routeNotFound(path: string, discovery: Discovery): Response {
  const [, root = '', group = ''] = path.split('/')
  const routed =
    root === 'apis' ? group !== '' && discovery.groupOrigin(group) === 'builtin' : root === 'api' || root === 'version'
  if (!routed) return pageNotFound()
  throw new ApiError(404, 'NotFound', 'the server could not find the requested resource', {})
}
