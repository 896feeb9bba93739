/**
 * What a request asks for, read from its method and path alone, as kube-apiserver's RequestInfo does:
 * authorization, audit and routing all speak of this.
 */

import { decodePath } from './path.ts'

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
  /**
   * get, list, watch, create, update, patch, delete, deletecollection; '' for other methods. A path with /watch/ or /proxy/ in
   * front has that as its verb, whatever the method.
   */
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
  /** The path has namespaces/NAMESPACE in front of the resource; the name may be empty. */
  readonly inNamespace: boolean
  /** The path has the old form with /watch/ or /proxy/ in front; '' where it has not. */
  readonly verbPrefix: '' | 'watch' | 'proxy'
}

export type RequestInfo = NonResourceRequest | ResourceRequest

/** Why nothing can be read from a path. */
export type UnreadablePath = 'broken escapes' | 'verb alone'

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
 * Reads method, path and query.
 * @param path the path of the URL, still percent-encoded
 * @returns what is wrong with a path that says nothing: `broken escapes` of the percent-encoding, or `verb alone` where
 *   /watch or /proxy ends it
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
