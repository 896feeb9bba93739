/** Finds the handler of a request for a resource from path and method, as the routes of kube-apiserver do. */

import type { Kind } from '../../catalog/kind.ts'
import { kindIn } from '../../catalog/older-kinds.ts'
import type { ResourceConfig } from '../../catalog/resource-config.ts'
import { kindOf } from '../../catalog/scheme.ts'
import { isServedKind } from '../../catalog/served-versions.ts'
import type { Target } from '../../clusters/operation.ts'
import { badRequest, methodNotAllowed, unknownResource } from '../../meta/errors.ts'
import type { RouteMediaTypes } from '../codec/route-media-types.ts'
import { routes } from '../codec/route-media-types.ts'
import type { ResourceContext } from '../context.ts'
import type { ResourceRequest } from '../request-info.ts'
import { reviewed } from '../reviews/review.ts'
import { reviews } from '../reviews/reviews.ts'
import { completeTokenRequest, issueToken } from '../reviews/token-request.ts'
import { bind } from './bind.ts'
import { getComponentStatus, listComponentStatuses } from './component-statuses.ts'
import { connectToContainer, connectToPorts, log } from './connect/pod-streams.ts'
import { proxy } from './connect/proxy.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import { removeCollection } from './delete-collection.ts'
import { evict } from './evict.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { patch } from './patch.ts'
import { update } from './update.ts'
import { watch } from './watch.ts'

/** Returns the resource and name to which a request applies. */
export const targetOf = ({ group, version, resource, subresource, namespace, name }: ResourceRequest, kind: Kind): Target => ({
  group,
  version,
  resource,
  subresource,
  namespace: kind.namespaced ? namespace : '',
  name,
})

/** Handles a request whose verb has been found. */
export type Handler = (context: ResourceContext) => Promise<Response>

/** The handler of a verb, and the media types of its route. */
export interface Route {
  readonly kind: Kind
  readonly handler: Handler
  readonly mediaTypes: RouteMediaTypes
}

interface Verb {
  readonly handler: Handler
  readonly mediaTypes: RouteMediaTypes
}

/** The handlers of the verbs on a resource. */
export const verbs: Readonly<Record<string, Verb>> = {
  get: { handler: get, mediaTypes: routes.object },
  list: { handler: list, mediaTypes: routes.collection },
  watch: { handler: watch, mediaTypes: routes.collection },
  create: { handler: create, mediaTypes: routes.object },
  update: { handler: update, mediaTypes: routes.object },
  patch: { handler: patch, mediaTypes: routes.patch },
  delete: { handler: remove, mediaTypes: routes.object },
  deletecollection: { handler: removeCollection, mediaTypes: routes.object },
}

/** The handlers of POST for create-only resources. A create-only resource without an entry is not served. */
const createOnly: ReadonlyMap<string, Verb> = new Map(
  Object.entries({ bindings: bind, ...reviews }).map(([name, handler]) => [name, { handler, mediaTypes: routes.object }]),
)

/** Resources that are computed for each request and not stored. */
const computed: Readonly<Record<string, Readonly<Record<string, Verb | undefined>>>> = {
  componentstatuses: {
    get: { handler: getComponentStatus, mediaTypes: routes.object },
    list: { handler: listComponentStatuses, mediaTypes: routes.collection },
  },
}

const stream: Verb = { handler: connectToContainer, mediaTypes: routes.connect }
const proxied: Verb = { handler: proxy, mediaTypes: routes.connect }

/** The verbs of subresources that are the object itself with another strategy, or in another form. */
const { get: getVerb, update: updateVerb, patch: patchVerb } = verbs
const objectVerbs: Readonly<Record<string, Verb | undefined>> = { get: getVerb, update: updateVerb, patch: patchVerb }

/** The handlers of subresources. A subresource without an entry is not served. */
const subresources: Readonly<Record<string, Readonly<Record<string, Verb | undefined>>>> = {
  approval: objectVerbs,
  ephemeralcontainers: objectVerbs,
  finalize: objectVerbs,
  resize: objectVerbs,
  scale: objectVerbs,
  status: objectVerbs,
  binding: { create: { handler: bind, mediaTypes: routes.object } },
  eviction: { create: { handler: evict, mediaTypes: routes.object } },
  token: { create: { handler: reviewed(issueToken, completeTokenRequest), mediaTypes: routes.object } },
  log: { get: { handler: log, mediaTypes: routes.log } },
  attach: { get: stream, create: stream },
  exec: { get: stream, create: stream },
  portforward: Object.fromEntries(
    ['get', 'create'].map((verb) => [verb, { handler: connectToPorts, mediaTypes: routes.connect }]),
  ),
  proxy: Object.fromEntries(['get', 'create', 'update', 'patch', 'delete'].map((verb) => [verb, proxied])),
}

/** The scope of a path below a version. */
type PathScope = 'collection' | 'across namespaces' | 'object' | 'subresource' | 'proxy'

/** The methods of each scope with their verbs. */
const methods: Readonly<Record<PathScope, Readonly<Record<string, readonly string[]>>>> = {
  collection: { GET: ['list', 'watch'], POST: ['create'], DELETE: ['deletecollection'] },
  'across namespaces': { GET: ['list', 'watch'] },
  object: { GET: ['get', 'watch'], PUT: ['update'], PATCH: ['patch'], DELETE: ['delete'] },
  subresource: { GET: ['get'], PUT: ['update'], PATCH: ['patch'], POST: ['create'], DELETE: ['delete'] },
  // A proxy forwards methods that no resource has.
  proxy: {
    GET: ['get'],
    HEAD: ['get'],
    OPTIONS: ['get'],
    PUT: ['update'],
    PATCH: ['patch'],
    POST: ['create'],
    DELETE: ['delete'],
  },
}

/** The number of segments of the longest path of a resource. Only the path of a proxy may be longer. */
const longestPath = 3

function subresourceScope(info: ResourceRequest, kind: Kind): PathScope | undefined {
  if (!kind.subresources.has(info.subresource) || subresources[info.subresource] === undefined) return undefined
  if (info.subresource === 'proxy') return 'proxy'
  return info.parts.length > longestPath ? undefined : 'subresource'
}

function scopeOf(info: ResourceRequest, kind: Kind): PathScope | undefined {
  const isScoped = kind.namespaced === info.inNamespace
  // pods/NAME//status has an empty subresource, and is not the object either.
  if (info.subresource === '' && info.parts.length >= longestPath) return undefined
  if (info.subresource !== '') return isScoped ? subresourceScope(info, kind) : undefined
  // A create-only resource cannot be read by name or listed.
  if (isCreateOnly(kind)) return isScoped && info.name === '' ? 'collection' : undefined
  if (info.name !== '') return isScoped ? 'object' : undefined
  if (kind.namespaced && !info.inNamespace) return 'across namespaces'
  return isScoped ? 'collection' : undefined
}

/** Whether the kind is create-only. Such a kind must not be stored: a stored review would leave its token on the disk. */
const isCreateOnly = (kind: Kind): boolean => !kind.verbs.has('get')

function isOffered(verb: string, info: ResourceRequest, kind: Kind): boolean {
  if (info.subresource !== '') return kind.subresources.get(info.subresource)?.verbs.includes(verb) ?? false
  return kind.verbs.has(verb)
}

function verbOf(verb: string, info: ResourceRequest, kind: Kind): Verb | undefined {
  if (info.subresource !== '') return subresources[info.subresource]?.[verb]
  if (isCreateOnly(kind)) return createOnly.get(kind.storage.prefix)
  return (computed[kind.storage.prefix] ?? verbs)[verb]
}

/**
 * Finds the route of a request.
 * @param config the resources that the cluster serves
 * @returns undefined if the path does not exist
 * @throws ApiError 405 if the path does not allow the method, 404 for a create-only resource that is not served, 400 for a
 *   subresource without the name of an object
 */
export function route(method: string, info: ResourceRequest, config: ResourceConfig): Route | undefined {
  const newest = kindOf(info.group, info.version, info.resource)
  if (newest === undefined || !isServedKind(newest, config)) return undefined
  const kind = kindIn(newest, config.release)
  const scope = scopeOf(info, kind)
  if (scope === undefined) return undefined
  if (info.verbPrefix !== '') return info.verbPrefix === 'watch' ? legacyRoute(method, kind, scope) : undefined
  const offered = methods[scope][method]?.filter((verb) => isOffered(verb, info, kind)) ?? []
  const verb = offered.includes(info.verb) ? info.verb : offered[0]
  if (verb === undefined) throw methodNotAllowed()
  const found = verbOf(verb, info, kind)
  if (found === undefined) throw unknownResource()
  if (info.subresource !== '' && info.name === '') throw badRequest('name must be provided')
  return { kind, ...found }
}

/** Returns the route of a path with /watch/ before the resource: only GET, and only for resources with the verb watch. */
function legacyRoute(method: string, kind: Kind, scope: PathScope): Route | undefined {
  if (!kind.verbs.has('watch') || scope === 'subresource' || scope === 'proxy') return undefined
  if (method !== 'GET') throw methodNotAllowed()
  return { kind, handler: watch, mediaTypes: routes.collection }
}
