/**
 * Parses the method and path of a request, as kube-apiserver's RequestInfo does. Authorization, audit and routing use the result.
 */

import { decodePath } from './path.ts'

/** A request for a path that is not a resource: discovery, health, metrics. */
export interface NonResourceRequest {
  readonly isResource: false
  readonly path: string
  /** The method in lower case. */
  readonly verb: string
}

/** A request for a resource of a group version. */
export interface ResourceRequest {
  readonly isResource: true
  readonly path: string
  /**
   * get, list, watch, create, update, patch, delete, deletecollection; '' for other methods. If the path has /watch/ or /proxy/
   * before the resource, this is the verb for every method.
   */
  readonly verb: string
  readonly group: string
  readonly version: string
  /** '' if the request is for all namespaces or the resource is cluster-scoped. */
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
  /** The segments of the path after the version, without namespaces/NAME. */
  readonly parts: readonly string[]
  /** Whether the path has namespaces/NAMESPACE before the resource; the resource's name may be empty. */
  readonly inNamespace: boolean
  /** The deprecated prefix /watch/ or /proxy/ before the resource; '' without a prefix. */
  readonly verbPrefix: '' | 'watch' | 'proxy'
}

export type RequestInfo = NonResourceRequest | ResourceRequest

/** The reason why a path cannot be parsed. */
export type UnreadablePath = 'broken escapes' | 'verb alone'

const verbOfMethod: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** The subresources of a Namespace: namespaces/NAME/status is not a resource in the namespace. */
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize'])

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

function namespaceOf(parts: string[]): { namespace: string; rest: string[]; inNamespace: boolean } {
  if (parts[0] !== 'namespaces' || parts.length < 2) return { namespace: '', rest: parts, inNamespace: false }
  const inNamespace = parts.length > 2 && !namespaceSubresources.has(parts[2] ?? '')
  return { namespace: parts[1] ?? '', rest: inNamespace ? parts.slice(2) : parts, inNamespace }
}

const verbPrefixOf = (part: string | undefined): ResourceRequest['verbPrefix'] =>
  part === 'watch' || part === 'proxy' ? part : ''

/**
 * Parses method, path and query.
 * @param path the path of the URL, still percent-encoded
 * @returns the reason if the path cannot be parsed: `broken escapes` of the percent-encoding, or `verb alone` if the path ends
 *   with /watch or /proxy
 */
export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo | UnreadablePath {
  const decoded = decodePath(path)
  if (decoded === undefined) return 'broken escapes'
  const all = splitPath(decoded)
  const nonResource: NonResourceRequest = { isResource: false, path: decoded, verb: method.toLowerCase() }
  const groupless = all[0] === 'api'
  if (all.length < (groupless ? 3 : 4) || (!groupless && all[0] !== 'apis')) return nonResource
  const group = groupless ? '' : (all[1] ?? '')
  const version = all[groupless ? 1 : 2] ?? ''
  let parts = all.slice(groupless ? 2 : 3)
  const verbPrefix = verbPrefixOf(parts[0])
  if (verbPrefix !== '') {
    if (parts.length < 2) return 'verb alone'
    parts = parts.slice(1)
  }
  const { namespace, rest, inNamespace } = namespaceOf(parts)
  const [resource = '', name = '', third = ''] = rest
  return {
    isResource: true,
    path: decoded,
    verb: verbPrefix === '' ? refine(verbOfMethod[method] ?? '', name, query) : verbPrefix,
    group,
    version,
    namespace,
    resource,
    subresource: verbPrefix === 'proxy' ? '' : third,
    name,
    parts: rest,
    inNamespace,
    verbPrefix,
  }
}

function refine(verb: string, name: string, query: URLSearchParams): string {
  if (name !== '') return verb
  if (verb === 'get') return isWatch(query) ? 'watch' : 'list'
  return verb === 'delete' ? 'deletecollection' : verb
}
