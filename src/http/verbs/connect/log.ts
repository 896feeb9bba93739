/** Passes on the log that a kubelet serves. Follows LocationStreamer and GenericHttpResponseChecker of k8s.io/apiserver. */
import { goQuote } from '../../../go/text.ts'
import { ApiError, badRequest, internalError } from '../../../meta/errors.ts'
import { genericServerResponse } from '../../../meta/server-response.ts'
import { noCache } from '../../codec/headers.ts'
import type { ResourceContext } from '../../context.ts'
import { hostPort } from './address.ts'
import { causeOf, type Destination, exchangeWith } from './dial.ts'

/** The maximum length of an error of a kubelet that is read, in bytes. */
export const mostErrorBytes = 50_000

/** Returns the text at the start of a response. */
export async function startOf(response: Response, bytes: number): Promise<string> {
  const decoder = new TextDecoder()
  let [text, left] = ['', bytes]
  for await (const chunk of response.body ?? []) {
    const part = (chunk as Uint8Array).subarray(0, left)
    text += decoder.decode(part, { stream: true })
    left -= part.length
    if (left === 0) break
  }
  return text
}

/** Returns the error of a kubelet that has not sent the log. */
async function errorOf(response: Response, { target }: ResourceContext): Promise<ApiError> {
  const { status } = response
  const text = await startOf(response, mostErrorBytes)
  if (status === 500) return internalError(text)
  if (status === 400) return badRequest(text)
  return genericServerResponse(status, { group: '', resource: 'pods/log' }, target.name, text)
}

const isRedirect = ({ status, headers }: Response): boolean =>
  [301, 302, 303, 307, 308].includes(status) && (headers.get('location') ?? '') !== ''

/**
 * Passes on a log while it comes.
 * @param path the path with the query at the kubelet
 * @throws ApiError 500 with an empty reason if the kubelet does not answer; its own errors
 */
export async function passLog(context: ResourceContext, kubelet: Destination, path: string): Promise<Response> {
  const host = hostPort(kubelet.hostname, kubelet.port)
  const failed = (url: string, why: string): ApiError => new ApiError(500, '', `Get ${goQuote(url)}: ${why}`)
  let response: Response
  try {
    const headers = [['User-Agent', 'Go-http-client/1.1']] as const
    response = await exchangeWith(context, kubelet, { method: 'GET', path, host, headers, body: null })
  } catch (error) {
    throw failed(`https://${host}${path}`, causeOf(error))
  }
  if (isRedirect(response)) {
    const location = response.headers.get('location') ?? ''
    await response.body?.cancel()
    throw failed(location, 'redirects forbidden')
  }
  if (response.status === 304) return new Response(null, { status: 304, headers: noCache })
  if (response.status < 200 || response.status > 206) throw await errorOf(response, context)
  return new Response(response.body, { headers: { ...noCache, 'content-type': 'text/plain' } })
}
