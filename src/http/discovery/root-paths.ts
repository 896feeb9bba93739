/** The list of paths at /. */
import { noCache } from '../codec/headers.ts'
import { renderJson } from '../codec/json.ts'
import type { Discovery } from './discovery.ts'

/**
 * The answer to / and /index.html, undefined for other paths: always indented JSON, whatever the method and the Accept header.
 * `others` are the paths beside discovery: health, version, metrics, OpenAPI.
 */
export function serveRootPaths(path: string, discovery: Discovery, others: readonly string[]): Response | undefined {
  if (path !== '/' && path !== '/index.html') return undefined
  const paths = [...new Set([...discovery.paths(), ...others])].sort()
  return new Response(renderJson({ paths }, true), { headers: { ...noCache, 'Content-Type': 'application/json' } })
}
