/** Which verb answers a request for a resource: from the path and the method, as kube-apiserver's routes are laid out. */
import { kindOf } from '../../catalog/catalogue.ts'
import type { Kind } from '../../catalog/kind.ts'
import { methodNotAllowed, unknownResource } from '../../meta/errors.ts'
import type { ResourceRequest } from '../chain/request-info.ts'
import type { RouteMediaTypes } from '../codec/route-media-types.ts'
import { routes } from '../codec/route-media-types.ts'
import type { ResourceContext } from '../context.ts'
import { reviews } from '../reviews/reviews.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import { removeCollection } from './delete-collection.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { patch } from './patch.ts'
import { update } from './update.ts'
import { watch } from './watch.ts'

type Handler = (context: ResourceContext) => Promise<Response>

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

const verbs: Readonly<Record<string, Verb>> = {
  get: { handler: get, mediaTypes: routes.object },
  list: { handler: list, mediaTypes: routes.collection },
  watch: { handler: watch, mediaTypes: routes.collection },
  create: { handler: create, mediaTypes: routes.object },
  update: { handler: update, mediaTypes: routes.object },
  patch: { handler: patch, mediaTypes: routes.patch },
  delete: { handler: remove, mediaTypes: routes.object },
  deletecollection: { handler: removeCollection, mediaTypes: routes.object },
}

/** What a path below a version stands for. */
type Place = 'collection' | 'across namespaces' | 'object' | 'subresource'

/** The methods of each place, and the verbs that they are. */
const methods: Readonly<Record<Place, Readonly<Record<string, readonly string[]>>>> = {
  collection: { GET: ['list', 'watch'], POST: ['create'], DELETE: ['deletecollection'] },
  'across namespaces': { GET: ['list', 'watch'] },
  object: { GET: ['get', 'watch'], PUT: ['update'], PATCH: ['patch'], DELETE: ['delete'] },
  subresource: { GET: ['get'], PUT: ['update'], PATCH: ['patch'] },
}

/** Subresources that are the object itself, seen through other rules. */
const ownSubresources: ReadonlySet<string> = new Set(['status', 'finalize'])

function placeOf(info: ResourceRequest, kind: Kind): Place | undefined {
  if (info.parts.length > 3) return undefined
  const scoped = kind.namespaced === (info.namespace !== '') || kind.resource === 'namespaces'
  if (info.subresource !== '') {
    return scoped && kind.subresources.has(info.subresource) && ownSubresources.has(info.subresource) ? 'subresource' : undefined
  }
  if (info.name !== '') return scoped ? 'object' : undefined
  if (kind.namespaced && info.namespace === '') return 'across namespaces'
  return scoped ? 'collection' : undefined
}

function isOffered(verb: string, info: ResourceRequest, kind: Kind): boolean {
  if (info.subresource !== '') return kind.subresources.get(info.subresource)?.verbs.includes(verb) ?? false
  return kind.verbs.has(verb)
}

/**
 * @returns undefined where nothing has this path
 * @throws ApiError 405 where the path is there but not with this method, 404 for kinds that are acts and not objects
 */
export function route(method: string, info: ResourceRequest): Route | undefined {
  const kind = kindOf(info.group, info.version, info.resource)
  if (kind === undefined) return undefined
  const place = placeOf(info, kind)
  if (place === undefined) return undefined
  if (info.legacyWatch) return legacyRoute(method, kind, place)
  const offered = methods[place][method]?.filter((verb) => isOffered(verb, info, kind)) ?? []
  const verb = offered.includes(info.verb) ? info.verb : offered[0]
  if (verb === undefined) throw methodNotAllowed()
  // What cannot be read is not kept: a review or a Binding is an act, and as an object it would leave its token on the disk.
  const review = kind.verbs.has('get') ? undefined : reviews[kind.storage.prefix]
  if (review !== undefined) return { kind, handler: review, mediaTypes: routes.object }
  if (!kind.verbs.has('get')) throw unknownResource()
  const found = verbs[verb]
  if (found === undefined) throw unknownResource()
  return { kind, ...found }
}

/** /watch/ in front of a path: GET alone, of what can be watched. */
function legacyRoute(method: string, kind: Kind, place: Place): Route | undefined {
  if (!kind.verbs.has('watch') || place === 'subresource') return undefined
  if (method !== 'GET') throw methodNotAllowed()
  return { kind, handler: watch, mediaTypes: routes.collection }
}
