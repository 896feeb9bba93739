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

/** The timeout of upstream's client, in milliseconds. */
const patience = 30_000
/** The maximum length of a response. */
const maximumBytes = 32 * 1024 * 1024
/** The maximum length of an invalid response that is quoted in the error. */
const quotedBytes = 2048

/** A reference to the Service of a webhook. */
export type WebhookService = NonNullable<WebhookClientConfig['service']>

/** The network access of webhook calls. */
export interface WebhookTransport {
  /**
   * Fetches from a webhook.
   * @param authorities the CAs to trust, PEM; empty for the public trust store
   */
  readonly fetch: (url: string, init: RequestInit, authorities: readonly string[]) => Promise<Response>
  /**
   * Returns `host:port` of a Service.
   * @throws Error with upstream's reason if it cannot be reached
   */
  readonly resolve: (service: WebhookService) => Promise<string>
  /** Whether a host accepts connections at a port. */
  readonly canConnect: (hostname: string, port: number) => Promise<boolean>
}

/** The address of one definition's webhook, and its conversionReviewVersions. */
export interface WebhookSettings {
  readonly clientConfig: WebhookClientConfig
  readonly conversionReviewVersions: readonly string[]
}

/** Returns the URL as upstream shows it, without its own query. */
function urlOf({ url, service }: WebhookClientConfig): string {
  if (service === undefined) {
    const { origin, pathname } = new URL(url ?? '')
    return `${origin}${pathname}?timeout=30s`
  }
  const { name, namespace, path = '', port = 443 } = service
  return `https://${name}.${namespace}.svc:${port}${path}?timeout=30s`
}

/** Returns the URL with the address of the Service. */
async function reachedAt(outside: WebhookTransport, { service }: WebhookClientConfig, displayUrl: string): Promise<string> {
  if (service === undefined) return displayUrl
  const host = await outside.resolve(service)
  return displayUrl.replace(/^https:\/\/[^/?]*/, `https://${host}`)
}

/** The messages of upstream's client for HTTP codes without a Status. */
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

/** The codes for which the body is shown, because it says more than the code. */
const bodyShownFor: ReadonlySet<number> = new Set([403, 406, 415])

function statusText(code: number, bodyText: string): string {
  if (bodyShownFor.has(code) && bodyText !== '' && (code !== 406 || bodyText !== 'unknown')) return bodyText
  const text = statusTexts[code]
  if (text !== undefined) return text
  if (code >= 500) return `an error on the server (${goQuote(bodyText)}) has prevented the request from succeeding`
  return `the server responded with the status code ${code} but did not return more information`
}

/** Returns the message of a Status; undefined if the text is not a Status. */
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
  const bodyText = type === '' || type.startsWith('text/') ? text.slice(0, quotedBytes).trim() : 'unknown'
  return callFailed(statusMessage(text) ?? statusText(response.status, bodyText))
}

const isAddress = /^(?:\[.*\]|[\d.]+)$/

/**
 * The runtime's errors, and Go's messages for them: `unreached` if nothing accepts connections at the address, `reached`
 * otherwise.
 */
const failures: readonly {
  readonly runtimeError: RegExp
  readonly unreached: (host: string, port: number) => string
  readonly reached: string
}[] = [
  { runtimeError: /^Network connection lost/, unreached: refused, reached: 'EOF' },
  {
    runtimeError: /^internal error/,
    unreached: (host, port) => (isAddress.test(host) ? refused(host, port) : `dial tcp: lookup ${host}: no such host`),
    // The runtime does not report the cause of a failed handshake; mostly it is this one.
    reached: 'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  },
]

function refused(host: string, port: number): string {
  return `dial tcp ${host}:${port}: connect: connection refused`
}

/** Returns the reason why a call failed. */
async function reasonOf(error: unknown, outside: WebhookTransport, url: string | undefined): Promise<string> {
  if (!(error instanceof Error)) return 'EOF'
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'context deadline exceeded'
  const failure = failures.find(({ runtimeError }) => runtimeError.test(error.message))
  if (failure === undefined || url === undefined) return error.message
  const { hostname, port: named } = new URL(url)
  const port = Number(named || 443)
  return (await outside.canConnect(hostname, port)) ? failure.reached : failure.unreached(hostname, port)
}

async function post(outside: WebhookTransport, clientConfig: WebhookClientConfig, body: string): Promise<string> {
  const displayUrl = urlOf(clientConfig)
  let answer: { readonly response: Response; readonly text: string }
  let url: string | undefined
  try {
    const init: RequestInit = {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, */*' },
      body,
      // Redirects are not followed: the author of the definition has not named their targets.
      redirect: 'manual',
      signal: AbortSignal.timeout(patience),
    }
    const authorities = certificatesIn(Buffer.from(clientConfig.caBundle ?? '', 'base64').toString('latin1'))
    url = await reachedAt(outside, clientConfig, displayUrl)
    const response = await outside.fetch(url, init, authorities)
    answer = { response, text: await boundedText(response, maximumBytes) }
  } catch (error) {
    throw callFailed(`Post ${goQuote(displayUrl)}: ${await reasonOf(error, outside, url)}`)
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
 * Converts objects in one call.
 * @param objects whole objects
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
