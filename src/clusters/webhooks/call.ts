/** Posts a review to a webhook. Follows ClientManager of apiserver and the REST client of client-go, with their errors. */
import { parseJson } from '../../go/json.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { goQuote } from '../../go/text.ts'
import { escapedPath } from '../../go/url.ts'
import { serverResponseText } from '../../meta/server-response.ts'
import { boundedText } from '../../net/bounded-text.ts'
import { certificatesIn } from '../../net/certificates.ts'
import { canConnect, type Network } from './network.ts'
import type { WebhookAddress, WebhookClient, WebhookTransport } from './transport.ts'

/** The maximum length of a response, also of a compressed one. */
const maximumBytes = 32 * 1024 * 1024
/** The maximum length of an invalid response that is quoted in the error. */
const quotedBytes = 2048

/** A call that failed, with the reason in the words of kube-apiserver's client. */
export class WebhookCallError extends Error {
  /** The HTTP code of the webhook, or 503 if there was no response. */
  readonly code: number

  constructor(why: string, code = 503) {
    super(why)
    this.code = code
  }
}

/** A call. */
export interface WebhookCall {
  readonly client: WebhookClient
  readonly body: string
  /** Milliseconds. */
  readonly timeout: number
  /** Returns the value of `Authorization` for a server (`host:port`); absent without credentials. */
  readonly credentials?: (server: string) => string | undefined
  /** Ends the call when nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined
}

/** Decodes a path; one that is not encoded correctly stays as it is. */
function unescapedPath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/**
 * Cleans a path as Go's path.Join does: without empty and relative segments and without a slash at the end. An encoded slash
 * counts as a slash.
 */
function cleanPath(path: string): string {
  const kept: string[] = []
  for (const segment of unescapedPath(path).split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  return escapedPath(`/${kept.join('/')}`)
}

/** Returns the URL as kube-apiserver's client shows it; the timeout is told to the webhook in whole seconds. */
function urlOf({ url, service }: WebhookClient, timeout: number): string {
  const query = `?timeout=${Math.ceil(timeout / 1000)}s`
  if (service !== undefined) {
    const { name, namespace, path = '', port = 443 } = service
    return `https://${name}.${namespace}.svc:${port}${cleanPath(path)}${query}`
  }
  const { pathname } = new URL(url ?? '')
  // The host is shown as it is written, also with the usual port.
  const [origin = ''] = /^https:\/\/[^/?#]*/i.exec(url ?? '') ?? []
  return `${origin}${cleanPath(pathname)}${query}`
}

/** Returns `host:port` of a webhook, by which its credentials are named. */
function serverOf({ url, service }: WebhookClient): string {
  if (service !== undefined) return `${service.name}.${service.namespace}.svc:${service.port ?? 443}`
  const { hostname, port } = new URL(url ?? '')
  return `${hostname}:${port || 443}`
}

async function addressOf(transport: WebhookTransport, { url, service }: WebhookClient): Promise<WebhookAddress> {
  if (service !== undefined) return transport.resolve(service)
  const { hostname, port } = new URL(url ?? '')
  const host = hostname.replace(/^\[|\]$/g, '')
  return { hostname: host, port: Number(port || 443), serverName: host }
}

function textAt(object: JsonObject, key: string): string {
  const value = object[key]
  return typeof value === 'string' ? value : ''
}

/** Returns the message and code of a Status; undefined if the text is not a Status. */
function statusIn(text: string): { readonly message: string; readonly code: number } | undefined {
  let value: JsonValue
  try {
    value = parseJson(text)
  } catch {
    return undefined
  }
  if (!isObject(value) || textAt(value, 'kind') !== 'Status' || textAt(value, 'apiVersion') !== 'v1') return undefined
  if (textAt(value, 'status') === 'Success') return undefined
  return { message: textAt(value, 'message'), code: typeof value.code === 'number' ? value.code : 0 }
}

function failureOf(response: Response, text: string): WebhookCallError {
  const own = statusIn(text)
  if (own !== undefined) return new WebhookCallError(own.message, own.code)
  const type = response.headers.get('content-type') ?? ''
  const bodyText = type === '' || type.startsWith('text/') ? text.slice(0, quotedBytes).trim() : 'unknown'
  return new WebhookCallError(serverResponseText(response.status, bodyText), response.status)
}

const isAddress = /^(?:[\d.]+|[\da-f]*:[\da-f:.]*)$/i

/** Returns `host:port`, with brackets around an IPv6 address. */
const hostPort = (hostname: string, port: number): string =>
  hostname.includes(':') ? `[${hostname}]:${port}` : `${hostname}:${port}`

const refused = ({ hostname, port }: WebhookAddress): string =>
  `dial tcp ${hostPort(hostname === 'localhost' ? '127.0.0.1' : hostname, port)}: connect: connection refused`

/**
 * The runtime's errors, and Go's messages for them: `unreached` if nothing accepts connections at the address, `reached`
 * otherwise.
 */
const failures: readonly {
  readonly runtimeError: RegExp
  readonly unreached: (address: WebhookAddress) => string
  readonly reached: string
}[] = [
  { runtimeError: /^(?:Network connection lost|proxy request failed)/, unreached: refused, reached: 'EOF' },
  {
    runtimeError: /^internal error/,
    unreached: (address) =>
      isAddress.test(address.hostname) ? refused(address) : `dial tcp: lookup ${address.hostname}: no such host`,
    // The runtime does not report the cause of a failed handshake; mostly it is this one.
    reached: 'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  },
]

/**
 * Returns the reason why a call failed.
 * @param network in which it is found out whether something accepts connections; undefined if nobody may try
 */
export async function reasonOf(
  error: unknown,
  network: Network | undefined,
  address: WebhookAddress | undefined,
): Promise<string> {
  if (!(error instanceof Error)) return 'EOF'
  if (error.name === 'TimeoutError') return 'context deadline exceeded'
  if (error.name === 'AbortError') return 'context canceled'
  const failure = failures.find(({ runtimeError }) => runtimeError.test(error.message))
  if (failure === undefined || address === undefined) return error.message
  const isReached = network !== undefined && (await canConnect(network, address.hostname, address.port))
  return isReached ? failure.reached : failure.unreached(address)
}

/** Returns the init of a call. Redirects are not followed: the author of the configuration has not named their targets. */
function initOf({ client, body, timeout, signal, credentials }: WebhookCall): RequestInit {
  const late = AbortSignal.timeout(timeout)
  const authorization = credentials?.(serverOf(client))
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, */*',
      'user-agent': 'kube-apiserver-admission',
      ...(authorization !== undefined && { authorization }),
    },
    body,
    redirect: 'manual',
    signal: signal === undefined ? late : AbortSignal.any([late, signal]),
  }
}

/**
 * Posts a review and returns the text of the response.
 * @throws WebhookCallError
 */
export async function postReview(transport: WebhookTransport, call: WebhookCall): Promise<string> {
  const { client, timeout } = call
  const url = urlOf(client, timeout)
  let response: Response
  let text: string
  let address: WebhookAddress | undefined
  try {
    const authorities = certificatesIn(Buffer.from(client.caBundle ?? '', 'base64').toString('latin1'))
    address = await addressOf(transport, client)
    response = await transport.fetch(url, initOf(call), address, authorities)
    text = await boundedText(response, maximumBytes)
  } catch (error) {
    throw new WebhookCallError(`Post ${goQuote(url)}: ${await reasonOf(error, transport.network, address)}`)
  }
  if (response.status < 200 || response.status > 206) throw failureOf(response, text)
  if (text === '') {
    const type = response.headers.get('content-type') ?? ''
    throw new WebhookCallError(`0-length response with status code: ${response.status} and content type: ${type}`)
  }
  return text
}
