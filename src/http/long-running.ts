/** Requests that last as long as their client wants. Follows BasicLongRunningRequestCheck of k8s.io/apiserver/pkg/server/filters. */
import type { Attributes } from '../auth/attributes.ts'

/** Subresources that are connections and no documents. */
const longRunningSubresources: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward'])

/** Tells whether the request may last as long as its client wants and is no watch: it takes no seat and has no deadline. */
export function isLongRunning(attributes: Attributes): boolean {
  return attributes.isResource && (attributes.verb === 'proxy' || longRunningSubresources.has(attributes.subresource))
}
