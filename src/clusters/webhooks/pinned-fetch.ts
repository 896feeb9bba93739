/** Fetches from a server that must have a certificate of given authorities. */
import { connect } from 'cloudflare:sockets'
import { exchange } from '../../net/http-exchange.ts'
import { connectTls } from '../../net/tls/client.ts'
import type { WebhookAddress } from './transport.ts'

/** Rejects when a signal is aborted, with its reason. */
function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  if (signal.aborted) reject(signal.reason)
  else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return promise
}

/**
 * Fetches over a TLS connection of its own.
 * @param url its host is sent in the request, and not connected to
 * @throws TlsError, HttpError with Go's text; the runtime's error if there is no connection
 */
export async function pinnedFetch(
  url: string,
  init: RequestInit,
  { hostname, port, serverName }: WebhookAddress,
  authorities: readonly string[],
): Promise<Response> {
  const { pathname, search } = new URL(url)
  // The port is part of it even if it is the usual one.
  const host = /^https:\/\/([^/?]*)/.exec(url)?.[1] ?? ''
  const signal = init.signal ?? new AbortController().signal
  const socket = connect(
    { hostname: hostname.includes(':') ? `[${hostname}]` : hostname, port },
    { secureTransport: 'off', allowHalfOpen: false },
  )
  const end = (): void => void socket.close().catch(() => undefined)
  signal.addEventListener('abort', end, { once: true })
  // A closed socket also rejects here; the reads and writes report why.
  socket.closed.catch(() => undefined)
  const late = aborted(signal)
  late.catch(() => undefined)
  const request = {
    method: init.method ?? 'GET',
    path: `${pathname}${search}`,
    host,
    headers: Object.fromEntries(new Headers(init.headers)),
    body: typeof init.body === 'string' ? init.body : '',
  }
  const work = async (): Promise<Response> => {
    await socket.opened
    const connection = await connectTls(socket, { serverName, authorities, now: Date.now() })
    return exchange(connection, request, end)
  }
  try {
    return await Promise.race([work(), late])
  } catch (error) {
    end()
    throw error
  }
}
