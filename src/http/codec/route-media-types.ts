/**
 * Checks the Content-Type and Accept headers of a built-in resource's route, before its handler runs. The handlers' own
 * negotiation is stricter and has other messages. Custom resources have no routes and skip this. Follows
 * github.com/emicklei/go-restful.
 */
import { ApiError } from '../../meta/errors.ts'
import { trimSpaces } from './accept.ts'
import { patchTypes } from './content-type.ts'
import { documentMediaTypes, objectMediaTypes, objectStreamTypes } from './negotiate.ts'

/** The media types of a route. They are functions because feature gates change them. Star slash star stands for any type. */
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

/** The routes of built-in kinds. */
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

/** Methods that do not need a Content-Type. */
const bodiless: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'DELETE', 'TRACE']

const essences = (header: string): string[] => header.split(',').map((entry) => trimSpaces(entry.split(';', 1)[0] ?? ''))

const offers = (types: readonly string[], mediaType: string): boolean => types.includes('*/*') || types.includes(mediaType)

function reads(route: RouteMediaTypes, request: Request): boolean {
  const contentType = request.headers.get('content-type') ?? ''
  if (contentType === '' && bodiless.includes(request.method)) return true
  const consumes = route.consumes()
  return essences(contentType || 'application/octet-stream').some((mediaType) => offers(consumes, mediaType))
}

function writes(route: RouteMediaTypes, request: Request): boolean {
  const accept = request.headers.get('accept') || '*/*'
  const produces = route.produces()
  if (accept === 'application/json' && offers(produces, accept)) return true
  return essences(accept).some((mediaType) => mediaType === '*/*' || offers(produces, mediaType))
}

/**
 * Checks the headers of a request against its route.
 * @throws ApiError 415 UnsupportedMediaType, 406 NotAcceptable
 */
export function checkMediaTypes(route: RouteMediaTypes, request: Request): void {
  if (!reads(route, request)) throw new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {})
  if (writes(route, request)) return
  const available = `Available representations: ${route.produces().join(', ')}`
  throw new ApiError(406, 'NotAcceptable', `406: Not Acceptable\n\n${available}`, {})
}

/**
 * Checks a request to a route that has only GET, as kube-apiserver's router does before a handler runs.
 * @throws ApiError 405 MethodNotAllowed, 415 UnsupportedMediaType, 406 NotAcceptable
 */
export function checkGetRoute(request: Request, route: RouteMediaTypes): void {
  if (request.method !== 'GET') {
    throw new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})
  }
  checkMediaTypes(route, request)
}
