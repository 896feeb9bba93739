/** Opens connections to kubelets, Pods and the endpoints of Services. */

import { reasonOf } from '../../../clusters/webhooks/call.ts'
import type { Connection } from '../../../clusters/webhooks/pinned-fetch.ts'
import type { WebhookAddress } from '../../../clusters/webhooks/transport.ts'
import { ApiError } from '../../../meta/errors.ts'
import type { HttpRequest } from '../../../net/http-exchange.ts'
import type { ResourceContext } from '../../context.ts'
import { hostPort } from './address.ts'
import type { Peer } from './node-access.ts'

/** The place to which a connection leads. */
export interface Destination {
  readonly scheme: 'http' | 'https'
  readonly hostname: string
  /** '' for the usual port of the scheme. */
  readonly port: string
  readonly peer: Peer
  /** Whether the host is a name that may lead to an address to which proxies must not connect; it need not be set otherwise. */
  readonly isName?: boolean
}

/** How long connecting may take, in milliseconds: as in kube-apiserver. */
const patience = 30_000

const usualPorts = { http: 80, https: 443 } as const

/** Reports a server that cannot be reached, with Go's text. */
export class DialError extends Error {}

/** Returns the address of a destination. @throws DialError for a port that does not exist */
function addressOf({ scheme, hostname, port }: Destination): WebhookAddress {
  if (port !== '' && !/^\d{1,5}$/.test(port)) throw new DialError(`dial tcp: lookup tcp/${port}: unknown port`)
  const number = port === '' ? usualPorts[scheme] : Number(port)
  if (number > 0xffff) throw new DialError(`dial tcp: address ${port}: invalid port`)
  return { hostname, port: number, serverName: hostname }
}

/** Opens a connection, unless the client goes before. @throws DialError */
export async function dial(
  { services, request }: Pick<ResourceContext, 'services' | 'request'>,
  destination: Destination,
): Promise<Connection> {
  const address = addressOf(destination)
  const isName = destination.isName === true
  const late = AbortSignal.timeout(patience)
  const either = AbortSignal.any([request.signal, late])
  try {
    return await services.nodes.open({ ...destination, isName, address }, either)
  } catch (error) {
    if (late.aborted) throw new DialError(`dial tcp ${hostPort(address.hostname, String(address.port))}: i/o timeout`)
    // Nobody connects to a name without the check to which address it leads, not even to find out why that has failed.
    throw new DialError(await reasonOf(error, isName ? undefined : services.webhooks.network, address))
  }
}

/** Returns the text of an error that a server or the way to it has caused. */
export const causeOf = (error: unknown): string => (error instanceof Error ? error.message : 'EOF')

/** Opens a connection for another protocol. @throws ApiError 500 with an empty reason, as in kube-apiserver */
export async function dialBackend(...args: Parameters<typeof dial>): Promise<Connection> {
  return dial(...args).catch((error: unknown) => {
    throw new ApiError(500, '', `error dialing backend: ${causeOf(error)}`)
  })
}

/**
 * Sends a request to a server over a connection of its own, which ends with the response or with the client.
 * @throws DialError, or HttpError if the response is not HTTP
 */
export async function exchangeWith(
  context: Pick<ResourceContext, 'services' | 'request'>,
  destination: Destination,
  request: HttpRequest,
): Promise<Response> {
  const { http, close } = await dial(context, destination)
  context.request.signal.addEventListener('abort', close, { once: true })
  return http.exchange(request, close).catch((error: unknown) => {
    close()
    throw error
  })
}
