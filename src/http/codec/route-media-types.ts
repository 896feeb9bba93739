/**
 * What a route of a built-in resource reads and writes at all, asked before its handler runs: the handlers' own negotiation is
 * stricter and has other texts. Custom resources have no routes and skip this. Follows github.com/emicklei/go-restful.
 */
import { ApiError } from '../../meta/errors.ts'
import { trimSpaces } from './accept.ts'
import { patchTypes } from './content-type.ts'
import { documentMediaTypes, objectMediaTypes, objectStreamTypes } from './negotiate.ts'

/** A route's media types, which feature gates may change; a star and a slash and a star means any. */
export interface RouteMediaTypes {
  readonly consumes: () => readonly string[]
  readonly produces: () => readonly string[]
}

const always =
  (...types: readonly string[]) =>
  () =>
    types
const any = always('*/*')
const documents = always(...documentMediaTypes)

/** The routes of built-in kinds, by what they do. */
export const routes = {
  /** get, create, update, delete and deletecollection. */
  object: { consumes: any, produces: objectMediaTypes },
  /** list and watch. */
  collection: { consumes: any, produces: () => [...objectMediaTypes(), ...objectStreamTypes()] },
  patch: { consumes: patchTypes, produces: objectMediaTypes },
  /** pods/log. */
  log: { consumes: any, produces: () => ['text/plain', ...objectMediaTypes()] },
  /** exec, attach, portforward, proxy. */
  connect: { consumes: any, produces: any },
  /** /api, /api/v1, /apis/apps/v1. */
  discovery: { consumes: documents, produces: documents },
  /** /version. */
  version: { consumes: always('application/json'), produces: always('application/json') },
  /** /openid/v1/jwks. */
  keys: { consumes: any, produces: always('application/jwk-set+json') },
} as const satisfies { readonly [name: string]: RouteMediaTypes }

/** Methods that need no Content-Type. */
const bodiless: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'DELETE', 'TRACE']

const essences = (header: string): string[] => header.split(',').map((entry) => trimSpaces(entry.split(';', 1)[0] ?? ''))

const offers = (types: readonly string[], asked: string): boolean => types.includes('*/*') || types.includes(asked)

function reads(route: RouteMediaTypes, request: Request): boolean {
  const contentType = request.headers.get('content-type') ?? ''
  if (contentType === '' && bodiless.includes(request.method)) return true
  const consumes = route.consumes()
  return essences(contentType || 'application/octet-stream').some((asked) => offers(consumes, asked))
}

function writes(route: RouteMediaTypes, request: Request): boolean {
  const accept = request.headers.get('accept') || '*/*'
  const produces = route.produces()
  if (accept === 'application/json' && offers(produces, accept)) return true
  return essences(accept).some((asked) => asked === '*/*' || offers(produces, asked))
}

/** Throws 415 UnsupportedMediaType or 406 NotAcceptable where the route has nothing for the request's headers. */
export function checkMediaTypes(route: RouteMediaTypes, request: Request): void {
  if (!reads(route, request)) throw new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {})
  if (writes(route, request)) return
  const available = `Available representations: ${route.produces().join(', ')}`
  throw new ApiError(406, 'NotAcceptable', `406: Not Acceptable\n\n${available}`, {})
}

/**
 * The checks of a route that has GET alone: throws 405 MethodNotAllowed, 415 UnsupportedMediaType or 406 NotAcceptable, each as
 * the router of kube-apiserver does before a handler runs.
 */
export function checkGetRoute(request: Request, route: RouteMediaTypes): void {
  if (request.method !== 'GET') {
    throw new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})
  }
  checkMediaTypes(route, request)
}
