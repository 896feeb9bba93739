/** WithAuthentication: finds the user by a client certificate or a bearer token. Without either it is system:anonymous. */
import { bearerToken } from '../../auth/bearer-token.ts'
import { certificateUser, type TlsClientAuth } from '../../auth/client-certificates.ts'
import { anonymous as anonymousUser, asAuthenticated } from '../../auth/user.ts'
import type { Asker } from '../../clusters/policy.ts'
import { ApiError, ClusterReplaced } from '../../meta/errors.ts'
import type { User } from '../../meta/user.ts'
import type { Authentication } from '../authentication.ts'
import { type Limits, strangerWait } from '../limits/rate-limit.ts'
import type { ServerMetrics } from '../metrics/server-metrics.ts'
import { tooManyRequests } from '../status.ts'
import { discardBody } from '../unread-body.ts'
import { bearerProtocol } from '../websocket.ts'
import type { Credential, Filter } from './filter.ts'
import { askerOf } from './policy.ts'

/** The user of a request. */
export interface AuthenticatedRequest {
  readonly user: User
  readonly credential: Credential
}

const unauthorized = (): ApiError => new ApiError(401, 'Unauthorized', 'Unauthorized')

/**
 * Authenticates a request.
 * @param path of the request, because anonymous requests may be allowed only at some paths
 * @throws ApiError 401 for an invalid bearer token, for an invalid certificate without a token, and without credentials if
 *   anonymous requests are not allowed
 */
export async function authenticate(
  request: Request,
  path: string,
  by: Authentication,
  asker?: Asker,
): Promise<AuthenticatedRequest> {
  const certified = by.clientCertificates === 'taken' ? certificateUser(tlsClientAuth(request)) : undefined
  if (typeof certified === 'object') return { user: asAuthenticated(certified), credential: 'explicit' }
  const header = request.headers.get('authorization')
  const given = header === null ? bearerProtocol(request) : bearerToken(header)
  const token = given ?? (header === null ? assertion(request, by) : undefined)
  if (token !== undefined) {
    const user = await by.tokens.authenticateToken(token, asker)
    if (user === undefined) throw unauthorized()
    return { user, credential: given === undefined ? 'ambient' : 'explicit' }
  }
  if (certified === 'invalid' || by.anonymous.allowed === 'nowhere') throw unauthorized()
  if (by.anonymous.allowed === 'at paths' && !by.anonymous.paths.has(path)) throw unauthorized()
  return { user: anonymousUser, credential: 'explicit' }
}

function assertion(request: Request, { accessAssertions }: Authentication): string | undefined {
  return accessAssertions === 'taken' ? (request.headers.get('cf-access-jwt-assertion') ?? undefined) : undefined
}

/** Returns the information of the runtime, not of the client, about the TLS connection. */
function tlsClientAuth(request: Request): TlsClientAuth | undefined {
  return (request.cf as { readonly tlsClientAuth?: TlsClientAuth } | undefined)?.tlsClientAuth
}

const hasToken = (request: Request): boolean => request.headers.has('authorization') || bearerProtocol(request) !== undefined

/** Observes how long the certificate of an authenticated client is still valid. */
function observeCertificate(auth: TlsClientAuth | undefined, { access }: ServerMetrics, now: number): void {
  const end = auth?.certVerified === 'SUCCESS' ? Date.parse(auth.certNotAfter ?? '') : Number.NaN
  if (!Number.isNaN(end)) access.certified((end - now) / 1000)
}

/** Returns the warning for a token that is ignored because of an extra space before it; undefined for other requests. */
function ignoredTokenWarning(request: Request): string | undefined {
  const header = request.headers.get('authorization')
  if (header === null || !/^\s*bearer {2}/i.test(header)) return undefined
  return 'the provided Authorization header contains extra space before the bearer token, and is ignored'
}

/**
 * Sets `authenticatedUser` and `credential`, and adds a warning for a token that is ignored. Responds with 429 to an address with too many
 * failures, because only the address identifies such requests.
 * @throws ApiError 401
 */
export function withAuthentication(by: Authentication, limits: Limits, metrics: ServerMetrics): Filter {
  const duration = metrics.requests.filter('authentication')
  return async (c, next) => {
    const request = c.req.raw
    const warning = ignoredTokenWarning(request)
    if (warning !== undefined) c.get('warnings').push(warning)
    const began = Date.now()
    const secondsSince = (): number => (Date.now() - began) / 1000
    let authenticated: AuthenticatedRequest
    try {
      authenticated = await authenticate(request, c.get('info').path, by, askerOf(c))
    } catch (error) {
      metrics.access.authenticated(hasToken(request) ? 'error' : 'failure', '', secondsSince())
      if (error instanceof ClusterReplaced) throw error
      c.env.suspension?.begin()
      await discardBody(request)
      const wait = await strangerWait(limits, request)
      if (wait > 0) return tooManyRequests(wait)
      throw error
    }
    const { user, credential } = authenticated
    const seconds = secondsSince()
    duration.observe(seconds)
    metrics.access.authenticated('success', user.name, seconds)
    if (by.clientCertificates === 'taken') observeCertificate(tlsClientAuth(request), metrics, began)
    c.set('authenticatedUser', user)
    c.set('credential', credential)
    await next()
  }
}
