/** Which verb answers a request for a resource: from the path and the method, as kube-apiserver's routes are laid out. */

import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import { badRequest, methodNotAllowed, unknownResource } from '../../meta/errors.ts'
import type { RouteMediaTypes } from '../codec/route-media-types.ts'
import { routes } from '../codec/route-media-types.ts'
import type { ResourceContext } from '../context.ts'
import type { ResourceRequest } from '../request-info.ts'
import { reviewed } from '../reviews/review.ts'
import { reviews } from '../reviews/reviews.ts'
import { tokenRequest } from '../reviews/token-request.ts'
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

/** Answers a request that has found its verb. */
export type Handler = (context: ResourceContext) => Promise<Response>

/** How a verb is answered, and what its route reads and writes at all. */
export interface Route {
  readonly kind: Kind
  readonly handler: Handler
  readonly mediaTypes: RouteMediaTypes
}

interface Verb {
  readonly handler: Handler
  readonly mediaTypes: RouteMediaTypes
}

/** What answers each verb on a resource. */
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

/** Kinds that are acts and not objects: what a POST of one does. Without an entry they are not served. */
const acts: ReadonlyMap<string, Verb> = new Map(
  Object.entries({ bindings: bind, ...reviews }).map(([name, handler]) => [name, { handler, mediaTypes: routes.object }]),
)

/** Objects that are kept nowhere: how they are now is found out when they are asked for. */
const computed: Readonly<Record<string, Readonly<Record<string, Verb | undefined>>>> = {
  componentstatuses: {
    get: { handler: getComponentStatus, mediaTypes: routes.object },
    list: { handler: listComponentStatuses, mediaTypes: routes.collection },
  },
}

const stream: Verb = { handler: connectToContainer, mediaTypes: routes.connect }
const proxied: Verb = { handler: proxy, mediaTypes: routes.connect }

/** The object itself, seen through other rules, or in another form. */
const { get: shown, update: updated, patch: patched } = verbs
const itself: Readonly<Record<string, Verb | undefined>> = { get: shown, update: updated, patch: patched }

/** What answers the verbs of a subresource. Those that are not here are not served: they cannot be, yet. */
const subresources: Readonly<Record<string, Readonly<Record<string, Verb | undefined>>>> = {
  approval: itself,
  ephemeralcontainers: itself,
  finalize: itself,
  resize: itself,
  scale: itself,
  status: itself,
  binding: { create: { handler: bind, mediaTypes: routes.object } },
  eviction: { create: { handler: evict, mediaTypes: routes.object } },
  token: { create: { handler: reviewed(tokenRequest), mediaTypes: routes.object } },
  log: { get: { handler: log, mediaTypes: routes.log } },
  attach: { get: stream, create: stream },
  exec: { get: stream, create: stream },
  portforward: Object.fromEntries(
    ['get', 'create'].map((verb) => [verb, { handler: connectToPorts, mediaTypes: routes.connect }]),
  ),
  proxy: Object.fromEntries(['get', 'create', 'update', 'patch', 'delete'].map((verb) => [verb, proxied])),
}

/** What a path below a version stands for. */
type Place = 'collection' | 'across namespaces' | 'object' | 'subresource' | 'proxy'

/** The methods of each place, and the verbs that they are. */
const methods: Readonly<Record<Place, Readonly<Record<string, readonly string[]>>>> = {
  collection: { GET: ['list', 'watch'], POST: ['create'], DELETE: ['deletecollection'] },
  'across namespaces': { GET: ['list', 'watch'] },
  object: { GET: ['get', 'watch'], PUT: ['update'], PATCH: ['patch'], DELETE: ['delete'] },
  subresource: { GET: ['get'], PUT: ['update'], PATCH: ['patch'], POST: ['create'], DELETE: ['delete'] },
  // What is behind a proxy knows methods that no resource has.
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

/** Where the whole path is a resource's, and not the part of it that goes on behind a proxy. */
const longestPath = 3

function subresourcePlace(info: ResourceRequest, kind: Kind): Place | undefined {
  if (!kind.subresources.has(info.subresource) || subresources[info.subresource] === undefined) return undefined
  if (info.subresource === 'proxy') return 'proxy'
  return info.parts.length > longestPath ? undefined : 'subresource'
}

function placeOf(info: ResourceRequest, kind: Kind): Place | undefined {
  const scoped = kind.namespaced === info.inNamespace
  // pods/NAME//status has no subresource, and is not the object either.
  if (info.subresource === '' && info.parts.length >= longestPath) return undefined
  if (info.subresource !== '') return scoped ? subresourcePlace(info, kind) : undefined
  // An act has no name under which it could be found, and is not listed.
  if (isAct(kind)) return scoped && info.name === '' ? 'collection' : undefined
  if (info.name !== '') return scoped ? 'object' : undefined
  if (kind.namespaced && !info.inNamespace) return 'across namespaces'
  return scoped ? 'collection' : undefined
}

/** What cannot be read is not kept: a review or a Binding as an object would leave its token on the disk. */
const isAct = (kind: Kind): boolean => !kind.verbs.has('get')

function isOffered(verb: string, info: ResourceRequest, kind: Kind): boolean {
  if (info.subresource !== '') return kind.subresources.get(info.subresource)?.verbs.includes(verb) ?? false
  return kind.verbs.has(verb)
}

function verbOf(verb: string, info: ResourceRequest, kind: Kind): Verb | undefined {
  if (info.subresource !== '') return subresources[info.subresource]?.[verb]
  if (isAct(kind)) return acts.get(kind.storage.prefix)
  return (computed[kind.storage.prefix] ?? verbs)[verb]
}

/**
 * @returns undefined where nothing has this path
 * @throws ApiError 405 where the path is there but not with this method, 404 for acts that are not served, 400 for a subresource
 *   of no object
 */
export function route(method: string, info: ResourceRequest): Route | undefined {
  const kind = kindOf(info.group, info.version, info.resource)
  if (kind === undefined) return undefined
  const place = placeOf(info, kind)
  if (place === undefined) return undefined
  if (info.verbPrefix !== '') return info.verbPrefix === 'watch' ? legacyRoute(method, kind, place) : undefined
  const offered = methods[place][method]?.filter((verb) => isOffered(verb, info, kind)) ?? []
  const verb = offered.includes(info.verb) ? info.verb : offered[0]
  if (verb === undefined) throw methodNotAllowed()
  const found = verbOf(verb, info, kind)
  if (found === undefined) throw unknownResource()
  if (info.subresource !== '' && info.name === '') throw badRequest('name must be provided')
  return { kind, ...found }
}

/** /watch/ in front of a path: GET alone, of what can be watched. */
function legacyRoute(method: string, kind: Kind, place: Place): Route | undefined {
  if (!kind.verbs.has('watch') || place === 'subresource' || place === 'proxy') return undefined
  if (method !== 'GET') throw methodNotAllowed()
  return { kind, handler: watch, mediaTypes: routes.collection }
}
