/** The 404 responses for unknown paths: a Status below the routes of built-in kinds, a text page elsewhere. */
import { ApiError } from '../../meta/errors.ts'
import { noCache } from '../codec/headers.ts'
import type { Discovery } from './discovery.ts'

/** Returns Go's response to an unknown path. */
export function pageNotFound(): Response {
  return new Response('404 page not found\n', {
    status: 404,
    headers: { ...noCache, 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
  })
}

/**
 * Returns the 404 page for an unknown path, also below groups of custom resources.
 * @throws ApiError 404 NotFound below /api, /version and the built-in groups
 */
export function routeNotFound(path: string, discovery: Discovery): Response {
  const [, root = '', group = ''] = path.split('/')
  const routed =
    root === 'apis' ? group !== '' && discovery.groupOrigin(group) === 'builtin' : root === 'api' || root === 'version'
  if (!routed) return pageNotFound()
  throw new ApiError(404, 'NotFound', 'the server could not find the requested resource', {})
}
