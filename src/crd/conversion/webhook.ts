/** Calls a definition's conversion webhook. Follows webhook_converter.go of apiextensions-apiserver and its REST client. */

import { boundedText } from '../../auth/bounded-text.ts'
import { certificatesIn } from '../../auth/ca-fetch.ts'
import { parseJson } from '../../go/json.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { goQuote } from '../../go/text.ts'
import { newUid } from '../../meta/uid.ts'
import type { WebhookClientConfig } from '../definition.ts'
import { textAt } from './converted-object.ts'
import { type ConversionFailure, callFailed } from './failure.ts'
import { convertedObjects, requestText, reviewVersion } from './review.ts'

/** How long a webhook may take, in milliseconds: what upstream's client waits. */
const patience = 30_000
/** The longest answer that is read. */
const maximumBytes = 32 * 1024 * 1024
/** Of what is no answer so much is told. */
const toldBytes = 2048

/** A Service that a webhook is behind. */
export type WebhookService = NonNullable<WebhookClientConfig['service']>

/** Of what calls of webhooks have need. */
export interface WebhookTransport {
  /** @param authorities that the webhook's certificate may be issued by, PEM; none: those that everybody trusts */
  readonly fetch: (url: string, init: RequestInit, authorities: readonly string[]) => Promise<Response>
  /**
   * Where a Service is reached: `host:port`.
   * @throws Error with upstream's reason where it cannot be
   */
  readonly resolve: (service: WebhookService) => Promise<string>
  /** Whether somebody listens at a host's port. */
  readonly canConnect: (hostname: string, port: number) => Promise<boolean>
}

/** How one definition's webhook is reached, and which versions of ConversionReview it understands. */
export interface WebhookSettings {
  readonly clientConfig: WebhookClientConfig
  readonly conversionReviewVersions: readonly string[]
}

/** The URL as upstream shows it. Of a URL the query is not used. */
function urlOf({ url, service }: WebhookClientConfig): string {
  if (service === undefined) {
    const { origin, pathname } = new URL(url ?? '')
    return `${origin}${pathname}?timeout=30s`
  }
  const { name, namespace, path = '', port = 443 } = service
  return `https://${name}.${namespace}.svc:${port}${path}?timeout=30s`
}

/** Where the URL leads. */
async function reachedAt(outside: WebhookTransport, { service }: WebhookClientConfig, shown: string): Promise<string> {
  if (service === undefined) return shown
  const host = await outside.resolve(service)
  return shown.replace(/^https:\/\/[^/?]*/, `https://${host}`)
}

/** What upstream's client says of statuses that come without a Status. */
const statusTexts: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  406: 'the server was unable to respond with a content type that the client supports',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
}

/** Of statuses whose body tells more than they do. */
const toldByBody: ReadonlySet<number> = new Set([403, 406, 415])

function statusText(code: number, told: string): string {
  if (toldByBody.has(code) && told !== '' && (code !== 406 || told !== 'unknown')) return told
  const text = statusTexts[code]
  if (text !== undefined) return text
  if (code >= 500) return `an error on the server (${goQuote(told)}) has prevented the request from succeeding`
  return `the server responded with the status code ${code} but did not return more information`
}

/** The message of a Status, where the text is one. */
function statusMessage(text: string): string | undefined {
  let value: JsonValue
  try {
    value = parseJson(text)
  } catch {
    return undefined
  }
  const isFailure = isObject(value) && textAt(value, 'kind') === 'Status' && textAt(value, 'apiVersion') === 'v1'
  return isFailure && textAt(value, 'status') !== 'Success' ? textAt(value, 'message') : undefined
}

function failureOf(response: Response, text: string): ConversionFailure {
  const type = response.headers.get('content-type') ?? ''
  const told = type === '' || type.startsWith('text/') ? text.slice(0, toldBytes).trim() : 'unknown'
  return callFailed(statusMessage(text) ?? statusText(response.status, told))
}

const isAddress = /^(?:\[.*\]|[\d.]+)$/

/** What the runtime says, and what that means where nobody listens and where somebody does, in Go's words. */
const failures: readonly {
  readonly said: RegExp
  readonly unreached: (host: string, port: number) => string
  readonly reached: string
}[] = [
  { said: /^Network connection lost/, unreached: refused, reached: 'EOF' },
  {
    said: /^internal error/,
    unreached: (host, port) => (isAddress.test(host) ? refused(host, port) : `dial tcp: lookup ${host}: no such host`),
    // The runtime does not tell what is wrong with a handshake: it mostly is this.
    reached: 'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  },
]

function refused(host: string, port: number): string {
  return `dial tcp ${host}:${port}: connect: connection refused`
}

/** Why the call did not reach the webhook, or its answer not us. */
async function reasonOf(error: unknown, outside: WebhookTransport, url: string | undefined): Promise<string> {
  if (!(error instanceof Error)) return 'EOF'
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'context deadline exceeded'
  const failure = failures.find(({ said }) => said.test(error.message))
  if (failure === undefined || url === undefined) return error.message
  const { hostname, port: named } = new URL(url)
  const port = Number(named || 443)
  return (await outside.canConnect(hostname, port)) ? failure.reached : failure.unreached(hostname, port)
}

async function post(outside: WebhookTransport, clientConfig: WebhookClientConfig, body: string): Promise<string> {
  const shown = urlOf(clientConfig)
  let answer: { readonly response: Response; readonly text: string }
  let url: string | undefined
  try {
    const init: RequestInit = {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, */*' },
      body,
      // Where a redirect leads, nobody has said who may create definitions.
      redirect: 'manual',
      signal: AbortSignal.timeout(patience),
    }
    const authorities = certificatesIn(Buffer.from(clientConfig.caBundle ?? '', 'base64').toString('latin1'))
    url = await reachedAt(outside, clientConfig, shown)
    const response = await outside.fetch(url, init, authorities)
    answer = { response, text: await boundedText(response, maximumBytes) }
  } catch (error) {
    throw callFailed(`Post ${goQuote(shown)}: ${await reasonOf(error, outside, url)}`)
  }
  const { response, text } = answer
  if (response.status < 200 || response.status > 206) throw failureOf(response, text)
  if (text === '') {
    const type = response.headers.get('content-type') ?? ''
    throw callFailed(`0-length response with status code: ${response.status} and content type: ${type}`)
  }
  return text
}

/**
 * Has objects converted, all in one call.
 * @param objects whole ones
 * @param desiredApiVersion `example.com/v1`
 * @throws ConversionFailure
 */
export async function callWebhook(
  outside: WebhookTransport,
  { clientConfig, conversionReviewVersions }: WebhookSettings,
  objects: readonly JsonObject[],
  desiredApiVersion: string,
): Promise<JsonObject[]> {
  const review = { version: reviewVersion(conversionReviewVersions), uid: newUid(), desiredApiVersion, objects }
  return convertedObjects(review, await post(outside, clientConfig, requestText(review)))
}
