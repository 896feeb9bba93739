/** Reads documents of other API servers, which are not trusted: each has to arrive in time, and its length is bounded. */
import type { ApiService } from '../../clusters/api-services.ts'
import type { ConnectionPool } from '../../clusters/webhooks/pinned-fetch.ts'
import type { User } from '../../meta/user.ts'
import { boundedText } from '../../net/bounded-text.ts'
import { type Backend, type Backends, hostOf } from './backend.ts'
import { identityHeaders } from './identity-headers.ts'
import type { UserTokenIssuer } from './user-tokens.ts'

/** The time that a server has for each document, in milliseconds. */
const patience = 5_000
/** The maximum length of a document that is read. */
const mostBytes = 8 * 1024 * 1024

/** The user as whom documents about APIs are read. */
export const aggregatorUser: User = { name: 'system:aggregator', uid: '', groups: [], extra: {} }

/** The access to servers. */
export interface ServerAccess {
  readonly backends: Backends
  /** Keeps the connections; without it, each document has a connection of its own. */
  readonly pool?: ConnectionPool
  /** Issues tokens for servers to which no certificate proves who asks. */
  readonly tokens: UserTokenIssuer
}

/** A server with the APIService that names it. */
export interface Server extends ServerAccess {
  readonly service: ApiService
  readonly backend: Backend
}

/** A response that has been read. */
export interface Reading {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/**
 * Reads a document.
 * @param headers names in lower case
 * @throws BackendError if the server does not answer in time; Error if the document is too long
 */
export async function readDocument(
  { backends, pool, tokens, service, backend }: Server,
  path: string,
  by: User,
  headers: readonly (readonly [name: string, value: string])[],
): Promise<Reading> {
  const all: (readonly [string, string])[] = [...headers, ...identityHeaders(by)]
  if (!backends.isCertified(backend)) all.push(['authorization', `Bearer ${await tokens.tokenFor(by, service.service)}`])
  const signal = AbortSignal.timeout(patience)
  const request = { method: 'GET', path, host: hostOf(backend.address), headers: all, body: null }
  const response = await backends.send(backend, request, { signal, pool })
  return { status: response.status, headers: response.headers, text: await boundedText(response, mostBytes) }
}
