/** Headers of requests and responses that pass through the TLS proxy. Follows RFC 9110, section 7.6.1, and RFC 9112, section 6. */

/** The longest head of a request or response, in bytes. */
export const maxHeaderSize = 256 * 1024

/** An error for a request that two HTTP parsers may read differently; the client is answered 400. */
export class AmbiguousRequestError extends Error {
  override name = 'AmbiguousRequestError'
}

/** Headers as Node gives and takes them: name, value, name, value …, in their order and with all duplicates. */
type RawHeaders = readonly string[]

/** A request as it is sent on to workerd. */
export interface ForwardedHeaders {
  /** The client's headers without those of its connection. */
  readonly headers: string[]
  /** `none` if the request ends with its head. */
  readonly body: 'none' | 'length' | 'chunked'
}

/** Headers of one connection, which say nothing about the next one. Trailers are not sent on: nobody reads them. */
const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Headers that decide where a request ends and for whom it is. */
const singleHeaders: ReadonlySet<string> = new Set(['content-length', 'host', 'transfer-encoding'])

/**
 * Selects the headers of a client's request that are sent on.
 * @param forbidden the header, in lower case, that only the proxy may set
 * @throws AmbiguousRequestError if a client sets that header, or leaves a doubt about the request's length or host
 */
export function requestHeaders(raw: RawHeaders, forbidden: string): ForwardedHeaders {
  const headers: string[] = []
  const values = new Map<string, string>()
  for (let i = 0; i < raw.length; i += 2) {
    const [name = '', value = ''] = [raw[i], raw[i + 1]]
    const lower = name.toLowerCase()
    if (lower === forbidden) throw new AmbiguousRequestError('a header that only the proxy may set')
    if (singleHeaders.has(lower)) {
      if (values.has(lower)) throw new AmbiguousRequestError(`two headers ${lower}`)
      values.set(lower, value)
    }
    if (!connectionHeaders.has(lower)) headers.push(name, value)
  }
  return { headers, body: bodyOf(values.get('content-length'), values.get('transfer-encoding')) }
}

function bodyOf(length: string | undefined, coding: string | undefined): ForwardedHeaders['body'] {
  if (coding !== undefined) {
    if (coding.toLowerCase() !== 'chunked' || length !== undefined) throw new AmbiguousRequestError('two lengths')
    return 'chunked'
  }
  if (length === undefined) return 'none'
  if (!/^\d{1,15}$/.test(length)) throw new AmbiguousRequestError('an unreadable length')
  return Number(length) === 0 ? 'none' : 'length'
}

/** Selects the headers of workerd's response that are sent on to the client. */
export function responseHeaders(raw: RawHeaders): string[] {
  const headers: string[] = []
  for (let i = 0; i < raw.length; i += 2) {
    const [name = '', value = ''] = [raw[i], raw[i + 1]]
    if (!connectionHeaders.has(name.toLowerCase())) headers.push(name, value)
  }
  return headers
}

/** Returns headers without those of a name, in lower case. */
export function withoutHeader(raw: RawHeaders, left: string): string[] {
  const kept: string[] = []
  for (let i = 0; i < raw.length; i += 2) {
    const [name = '', value = ''] = [raw[i], raw[i + 1]]
    if (name.toLowerCase() !== left) kept.push(name, value)
  }
  return kept
}
