/** The headers of requests that are passed on to other API servers, and of their responses. Follows httputil.ReverseProxy of Go. */
import { isFrontProxyHeader } from '../../auth/front-proxy/identity-headers.ts'
import { auditHeader } from '../../clusters/operation.ts'
import { agreedHeader } from '../../net/proxied-spdy.ts'
import { clientAddress } from '../client-address.ts'
import { noCache } from '../codec/headers.ts'

/** Headers that concern one connection only. */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Credentials for this server, and headers that this server sets itself. */
const withheld: ReadonlySet<string> = new Set(['authorization', 'cf-access-jwt-assertion', 'host', auditHeader.toLowerCase()])

const withheldPrefixes: readonly string[] = ['impersonate-', 'cf-', 'edgeplane-']

const isPassed = (name: string, named: ReadonlySet<string>): boolean =>
  !ofConnection.has(name) &&
  !named.has(name) &&
  !withheld.has(name) &&
  !isFrontProxyHeader(name) &&
  !withheldPrefixes.some((prefix) => name.startsWith(prefix))

/** Returns the headers that the header Connection names. */
const namedBy = (headers: Headers): ReadonlySet<string> =>
  new Set((headers.get('connection') ?? '').split(',').map((name) => name.trim().toLowerCase()))

type Header = readonly [name: string, value: string]

/** Returns the header Cookie without the cookies by which Cloudflare Access knows the client; undefined if no other is left. */
function withoutAccess(cookies: string): string | undefined {
  const others = cookies.split(';').filter((cookie) => !/^\s*CF_/i.test(cookie))
  return others.length === 0 ? undefined : others.join(';').trim()
}

function passedHeader(name: string, value: string): readonly Header[] {
  if (name !== 'cookie') return [[name, value]]
  const cookies = withoutAccess(value)
  return cookies === undefined ? [] : [[name, cookies]]
}

/** Returns the headers of a client for a server behind this one: without its credentials, and with its address. */
export function passedHeaders(request: Request): Header[] {
  const { headers } = request
  const named = namedBy(headers)
  const passed = [...headers].flatMap(([name, value]) =>
    isPassed(name, named) && !name.startsWith('x-forwarded-') ? passedHeader(name, value) : [],
  )
  const before = headers.get('x-forwarded-for')
  const address = clientAddress(request)
  const forwardedFor = address === '' ? before : before === null ? address : `${before}, ${address}`
  return forwardedFor === null ? passed : [...passed, ['X-Forwarded-For', forwardedFor]]
}

/** A request to another API server. */
interface AggregatedRequest {
  /** `host:port` of the other server. */
  readonly host: string
  /** Path and query. */
  readonly location: string
  readonly auditId: string
}

/** Returns the headers for another API server, without those of the user. */
export function aggregationHeaders(request: Request, { host, location, auditId }: AggregatedRequest): Header[] {
  const [path = ''] = location.split('?')
  return [
    ...passedHeaders(request),
    [auditHeader, auditId],
    ['X-Forwarded-Host', host],
    ['X-Forwarded-Proto', 'https'],
    ['X-Forwarded-Uri', path],
  ]
}

/**
 * Returns the headers of the response to the client.
 * @param own headers of this server, which replace those of the other one
 */
export function answeredHeaders(received: Headers, own: Readonly<Record<string, string>>): Headers {
  const named = namedBy(received)
  const headers = new Headers(noCache)
  for (const [name, value] of received)
    if (!ofConnection.has(name) && !named.has(name) && name !== agreedHeader) headers.append(name, value)
  for (const [name, value] of Object.entries(own)) headers.set(name, value)
  return headers
}
