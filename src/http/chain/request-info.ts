/**
 * What a request asks for, read from its method and path alone, as kube-apiserver's RequestInfo does:
 * authorization, audit and routing all speak of this.
 */

/** A request for something that is no resource: discovery, health, metrics. */
export interface NonResourceRequest {
  readonly isResource: false
  readonly path: string
  /** The method in lower case. */
  readonly verb: string
}

/** A request for a resource of a group's version. */
export interface ResourceRequest {
  readonly isResource: true
  readonly path: string
  /** get, list, watch, create, update, patch, delete, deletecollection; '' for other methods. */
  readonly verb: string
  readonly group: string
  readonly version: string
  /** '' where the request is for all namespaces or the resource has none. */
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
  /** What follows the version in the path, namespaces/NAME left out. */
  readonly parts: readonly string[]
  /** The path has the old form with /watch/ in front. */
  readonly legacyWatch: boolean
}

export type RequestInfo = NonResourceRequest | ResourceRequest

const verbOfMethod: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** The parts of namespaces/NAME/… that belong to the Namespace and not to a resource in it. */
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize'])

/** Percent-decodes as Go's URL.Path is; undefined where the escapes are broken. */
function decodePath(path: string): string | undefined {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

function splitPath(path: string): string[] {
  let begin = 0
  let end = path.length
  while (begin < end && path[begin] === '/') begin++
  while (end > begin && path[end - 1] === '/') end--
  return begin === end ? [] : path.slice(begin, end).split('/')
}

const isWatch = (query: URLSearchParams): boolean => {
  const watch = query.get('watch')
  return watch !== null && watch !== '0' && watch.toLowerCase() !== 'false'
}

function namespaceOf(parts: string[]): { namespace: string; rest: string[] } {
  if (parts[0] !== 'namespaces' || parts.length < 2) return { namespace: '', rest: parts }
  const inside = parts.length > 2 && !namespaceSubresources.has(parts[2] ?? '')
  return { namespace: parts[1] ?? '', rest: inside ? parts.slice(2) : parts }
}

/**
 * Reads method, path and query.
 * @param path the path of the URL, still percent-encoded
 * @returns undefined where the path is no valid percent-encoding
 */
export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo | undefined {
  const decoded = decodePath(path)
  if (decoded === undefined) return undefined
  const all = splitPath(decoded)
  const nonResource: NonResourceRequest = { isResource: false, path: decoded, verb: method.toLowerCase() }
  const groupless = all[0] === 'api'
  if (all.length < (groupless ? 3 : 4) || (!groupless && all[0] !== 'apis')) return nonResource
  const group = groupless ? '' : (all[1] ?? '')
  const version = all[groupless ? 1 : 2] ?? ''
  let parts = all.slice(groupless ? 2 : 3)
  const legacyWatch = parts[0] === 'watch'
  if (legacyWatch) parts = parts.slice(1)
  const { namespace, rest } = namespaceOf(parts)
  const [resource = '', name = '', subresource = ''] = rest
  return {
    isResource: true,
    path: decoded,
    verb: refine(verbOfMethod[method] ?? '', name, legacyWatch, query),
    group,
    version,
    namespace,
    resource,
    subresource,
    name,
    parts: rest,
    legacyWatch,
  }
}

function refine(verb: string, name: string, legacyWatch: boolean, query: URLSearchParams): string {
  if (legacyWatch) return verb === 'get' ? 'watch' : verb
  if (name !== '') return verb
  if (verb === 'get') return isWatch(query) ? 'watch' : 'list'
  return verb === 'delete' ? 'deletecollection' : verb
}
