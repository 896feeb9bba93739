/** Requests whose duration the client decides. Follows BasicLongRunningRequestCheck of k8s.io/apiserver/pkg/server/filters. */
import type { Attributes } from '../auth/attributes.ts'

/** Subresources that are connections. */
const longRunningSubresources: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward'])

/**
 * Whether the client decides the duration of the request. Such a request has no seat and no deadline. Watches are not included.
 */
export function isLongRunning(attributes: Attributes): boolean {
  return attributes.isResource && (attributes.verb === 'proxy' || longRunningSubresources.has(attributes.subresource))
}
