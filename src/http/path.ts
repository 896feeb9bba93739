/** The path of a request within its cluster, as the client sent it and as routes match it. */
import type { ClusterAddresses } from '../clusters/cluster-path.ts'

const brokenEscape = /%(?![0-9a-fA-F]{2})/

/** Percent-decodes a path to Go's URL.Path; undefined if an escape is malformed. Invalid UTF-8 becomes U+FFFD. */
export function decodePath(path: string): string | undefined {
  if (!path.includes('%')) return path
  if (brokenEscape.test(path)) return undefined
  return Buffer.from(unescapeBytes(path), 'latin1').toString('utf8')
}

/** Returns the bytes of the path, each as one character. */
const unescapeBytes = (path: string): string =>
  Buffer.from(path, 'utf8')
    .toString('latin1')
    .replace(/%([0-9a-fA-F]{2})/g, (_escape: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Returns the path without trailing slashes, which kube-apiserver's router ignores. */
export function withoutTrailingSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}

/**
 * Returns a function that gives the path by which Hono finds the route: decoded, because `/%76ersion` is `/version`, and without trailing slashes.
 * Handlers read the exact path from `info`.
 */
export const routedPath =
  (addresses: ClusterAddresses) =>
  ({ url }: Request): string => {
    const { location } = addresses.of(url)
    const mark = location.indexOf('?')
    const path = mark < 0 ? location : location.slice(0, mark)
    return withoutTrailingSlashes(decodePath(path) ?? path) || '/'
  }
