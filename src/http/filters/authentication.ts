/** WithAuthentication: finds the user, by a client certificate or a bearer token; without either it is system:anonymous. */
import type { Authenticator } from '../../auth/authenticator.ts'
import { certificateUser, type TlsClientAuth } from '../../auth/client-certificates.ts'
import type { Anonymous } from '../../auth/configuration.ts'
import { anonymous as anonymousUser, asAuthenticated } from '../../auth/user.ts'
import { ApiError } from '../../meta/errors.ts'
import type { User } from '../../meta/user.ts'
import { addressWait, type Limits } from '../limits/rate-limit.ts'
import type { RequestMetrics } from '../metrics/request-metrics.ts'
import { tooManyRequests } from '../status.ts'
import { discardBody } from '../unread-body.ts'
import { bearerProtocol } from '../websocket.ts'
import type { Filter } from './filter.ts'

/** How a deployment authenticates. */
export interface Authentication {
  readonly tokens: Authenticator
  readonly anonymous: Anonymous
  /** Whether what the runtime says of a client's certificate counts. */
  readonly clientCertificates: 'ignored' | 'taken'
  /** Whether the token that Cloudflare Access adds to requests counts where there is no other. It is verified like any. */
  readonly accessAssertions: 'ignored' | 'taken'
}

const unauthorized = (): ApiError => new ApiError(401, 'Unauthorized', 'Unauthorized')

/**
 * @param path of the request, which decides where anonymous requests are allowed at some paths only
 * @throws ApiError 401 for a bearer token that is not valid, for a certificate that is not where no token is, and without credentials where these are needed
 */
export async function authenticate(request: Request, path: string, by: Authentication): Promise<User> {
  const certified = by.clientCertificates === 'taken' ? certificateUser(tlsClientAuth(request)) : undefined
  if (typeof certified === 'object') return asAuthenticated(certified)
  const header = request.headers.get('authorization')
  const token = header === null ? (bearerProtocol(request) ?? assertion(request, by)) : bearerToken(header)
  if (token !== undefined) {
    const user = await by.tokens.authenticateToken(token)
    if (user === undefined) throw unauthorized()
    return user
  }
  if (certified === 'invalid' || by.anonymous.allowed === 'nowhere') throw unauthorized()
  if (by.anonymous.allowed === 'at paths' && !by.anonymous.paths.has(path)) throw unauthorized()
  return anonymousUser
}

function assertion(request: Request, { accessAssertions }: Authentication): string | undefined {
  return accessAssertions === 'taken' ? (request.headers.get('cf-access-jwt-assertion') ?? undefined) : undefined
}

/** What the runtime, and not the client, says of the connection. */
function tlsClientAuth(request: Request): TlsClientAuth | undefined {
  return (request.cf as { readonly tlsClientAuth?: TlsClientAuth } | undefined)?.tlsClientAuth
}

/** The token of `Bearer TOKEN`, the scheme in any case; undefined for other schemes. What follows a second space is ignored. */
function bearerToken(header: string): string | undefined {
  const [scheme = '', token = ''] = header.trim().split(' ', 2)
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined
}

/** The warning for a token that is ignored because of the space in front of it; undefined for other requests. */
function ignoredTokenWarning(request: Request): string | undefined {
  const header = request.headers.get('authorization')
  if (header === null || !/^\s*bearer {2}/i.test(header)) return undefined
  return 'the provided Authorization header contains extra space before the bearer token, and is ignored'
}

/**
 * Sets `authenticatedUser`, and warns of a token that is ignored.
 * Throws ApiError 401. An address with too many failures gets 429: nothing else tells its requests apart.
 */
export function withAuthentication(by: Authentication, limits: Limits, metrics: RequestMetrics): Filter {
  return async (c, next) => {
    const request = c.req.raw
    const warning = ignoredTokenWarning(request)
    if (warning !== undefined) c.get('warnings').push(warning)
    let user: User
    try {
      user = await authenticate(request, c.get('info').path, by)
    } catch (error) {
      metrics.authenticated(undefined)
      await discardBody(request)
      const wait = await addressWait(limits, request)
      if (wait > 0) return tooManyRequests(wait)
      throw error
    }
    metrics.authenticated(user.name)
    c.set('authenticatedUser', user)
    await next()
  }
}
