/**
 * Which verb answers a request for a custom resource. There are no routes: the path is looked at when a definition serves it.
 * Follows crdHandler of apiextensions-apiserver.
 */
import type { Kind } from '../../catalog/kind.ts'
import type { KindCache } from '../../crd/kind-cache.ts'
import { ApiError, badRequest, groupResourceText, notFound } from '../../meta/errors.ts'
import { routes } from '../codec/route-media-types.ts'
import type { ResourceRequest } from '../request-info.ts'
import { type Handler, type Route, verbs } from './route.ts'

/** Custom resources have no routes: their handlers negotiate alone. */
const anything = routes.connect

/** What may be asked without a namespace of what is in one. */
const acrossNamespaces: ReadonlySet<string> = new Set(['list', 'watch'])

function isInScope({ namespace, verb }: ResourceRequest, kind: Kind): boolean {
  if (!kind.namespaced) return namespace === ''
  return namespace !== '' || acrossNamespaces.has(verb)
}

/** 405 of what has no routes: the verb is named, and the resource in place of a kind. */
function notSupported(kind: Kind, verb: string): ApiError {
  const message = `${verb} is not supported on resources of kind "${groupResourceText(kind)}"`
  return new ApiError(405, 'MethodNotAllowed', message, { group: kind.group, kind: kind.resource })
}

function handlerOf(info: ResourceRequest, kind: Kind): Handler {
  const { verb, subresource, name } = info
  const table = subresource === '' ? undefined : kind.subresources.get(subresource)
  if (subresource !== '' && table === undefined) throw notFound(kind, name)
  const offered = table === undefined ? kind.verbs.has(verb) : table.verbs.includes(verb)
  const handler = verbs[verb]?.handler
  if (!offered || handler === undefined) throw notSupported(kind, verb)
  // A patch says so itself, once it is known to be one.
  if (name === '' && verb === 'update') throw badRequest('name must be provided')
  return handler
}

/**
 * @returns undefined where no definition serves the path
 * @throws ApiError 404 for a subresource that the version does not have, 405 for a verb that it does not know, 400 for a verb
 *   that wants a name where there is none
 */
export async function customRoute(kinds: KindCache, info: ResourceRequest): Promise<Route | undefined> {
  if (info.group === '') return undefined
  const found = await kinds.find(info.group, info.version, info.resource)
  if (found === undefined || !isInScope(info, found.kind)) return undefined
  const { kind } = found
  return { kind, handler: handlerOf(info, kind), mediaTypes: anything }
}
