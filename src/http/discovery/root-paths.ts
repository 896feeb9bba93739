/** The list of paths at `/`. */

import { renderJson } from '../../encoding/json.ts'
import { noCache } from '../codec/headers.ts'
import type { Discovery } from './discovery.ts'

/**
 * Returns the response to / and /index.html, or undefined for other paths. It is always indented JSON, for any method and Accept
 * header.
 * @param others paths besides discovery: health, version, metrics, OpenAPI
 */
export function serveRootPaths(path: string, discovery: Discovery, others: readonly string[]): Response | undefined {
  if (path !== '/' && path !== '/index.html') return undefined
  const paths = [...new Set([...discovery.paths(), ...others])].sort()
  return new Response(renderJson({ paths }, true), { headers: { ...noCache, 'Content-Type': 'application/json' } })
}
