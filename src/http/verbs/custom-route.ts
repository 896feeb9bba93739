/**
 * Finds the handler of a request for a custom resource. Custom resources have no routes: the path is evaluated after a definition
 * that serves it has been found. Follows crdHandler of apiextensions-apiserver.
 */
import type { Kind } from '../../catalog/kind.ts'
import type { Asker } from '../../clusters/policy.ts'
import type { KindCache } from '../../crd/kind-cache.ts'
import { ApiError, badRequest, groupResourceText, notFound } from '../../meta/errors.ts'
import { routes } from '../codec/route-media-types.ts'
import type { ResourceRequest } from '../request-info.ts'
import { type Handler, type Route, verbs } from './route.ts'

/** Custom resources have no routes that check media types: only their handlers negotiate. */
const anything = routes.connect

/** Verbs of namespaced resources that need no namespace. */
const acrossNamespaces: ReadonlySet<string> = new Set(['list', 'watch'])

function isInScope({ namespace, verb }: ResourceRequest, kind: Kind): boolean {
  if (!kind.namespaced) return namespace === ''
  return namespace !== '' || acrossNamespaces.has(verb)
}

/** Returns the 405 error of a custom resource: it has the verb, and the resource instead of a kind. */
function notSupported(kind: Kind, verb: string): ApiError {
  const message = `${verb} is not supported on resources of kind "${groupResourceText(kind)}"`
  return new ApiError(405, 'MethodNotAllowed', message, { group: kind.group, kind: kind.resource })
}

function handlerOf(info: ResourceRequest, kind: Kind): Handler {
  const { verb, subresource, name } = info
  const table = subresource === '' ? undefined : kind.subresources.get(subresource)
  const warnings = kind.definition?.warnings ?? []
  if (subresource !== '' && table === undefined) throw notFound(kind, name).warning(warnings)
  const offered = table === undefined ? kind.verbs.has(verb) : table.verbs.includes(verb)
  const handler = verbs[verb]?.handler
  if (!offered || handler === undefined) throw notSupported(kind, verb).warning(warnings)
  // The handler of a patch makes this check itself, after the check of the Content-Type.
  if (name === '' && verb === 'update') throw badRequest('name must be provided').warning(warnings)
  return handler
}

/**
 * Finds the handler.
 * @returns undefined if no definition serves the path
 * @throws ApiError 404 for a subresource that the version does not have, 405 for an unsupported verb, 400 for an update without a
 *   name; with the warnings of a deprecated version
 */
export async function customRoute(kinds: KindCache, info: ResourceRequest, asker: Asker): Promise<Route | undefined> {
  if (info.group === '') return undefined
  const found = await kinds.find(info.group, info.version, info.resource, asker)
  if (found === undefined || !isInScope(info, found.kind)) return undefined
  const { kind } = found
  return { kind, handler: handlerOf(info, kind), mediaTypes: anything }
}
