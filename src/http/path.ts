/** The path of a request, as the client sent it and as routes are matched with it. */

const brokenEscape = /%(?![0-9a-fA-F]{2})/

/** Percent-decodes a path as Go's URL.Path is; undefined if an escape is broken. Bytes that are no UTF-8 become U+FFFD. */
export function decodePath(path: string): string | undefined {
  if (!path.includes('%')) return path
  if (brokenEscape.test(path)) return undefined
  return Buffer.from(unescapeBytes(path), 'latin1').toString('utf8')
}

/** The path's bytes, each as one character. */
const unescapeBytes = (path: string): string =>
  Buffer.from(path, 'utf8')
    .toString('latin1')
    .replace(/%([0-9a-fA-F]{2})/g, (_escape: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Path and query as the client sent them. The URL class would resolve dots in the path. */
export function locationOf(url: string): string {
  const slash = url.indexOf('/', url.indexOf('//') + 2)
  return slash < 0 ? '/' : url.slice(slash)
}

/** The path without the slashes at its end: the router of kube-apiserver ignores them. */
export function withoutTrailingSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}

/**
 * The path by which Hono finds the route: decoded, because `/%76ersion` is `/version`, and without slashes at its end. Handlers read
 * the exact path from `info`.
 */
export function routedPath({ url }: Request): string {
  const location = locationOf(url)
  const mark = location.indexOf('?')
  const path = mark < 0 ? location : location.slice(0, mark)
  return withoutTrailingSlashes(decodePath(path) ?? path) || '/'
}
