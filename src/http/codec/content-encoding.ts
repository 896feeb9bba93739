/**
 * Decides whether a response is compressed. Follows k8s.io/apiserver/pkg/endpoints/handlers/responsewriters: Accept-Encoding is
 * read without qualities, and only large responses are compressed.
 */

import { isEnabled } from '../../config/feature-gates.ts'

/** The supported compressions. */
export type ContentEncoding = 'gzip'

/** The media types of the server that Cloudflare compresses itself (its documentation, "Content compression"). */
const compressedByCloudflare: ReadonlySet<string> = new Set(['application/json', 'text/plain'])

/**
 * Returns the compression of a response in this media type, if the client accepts it; undefined for none. `gzip;q=1` is not
 * accepted, as in kube-apiserver. On Cloudflare the header is the same for all clients, and `cf` has the client's own.
 */
export function negotiateEncoding(request: Request, mediaType: string): ContentEncoding | undefined {
  const ofClient = (request.cf as { readonly clientAcceptEncoding?: string } | undefined)?.clientAcceptEncoding
  if (ofClient !== undefined && compressedByCloudflare.has(mediaType)) return undefined
  const accepted = ofClient ?? request.headers.get('accept-encoding')
  if (accepted === null || !accepted.includes('gzip') || !isEnabled('APIResponseCompression')) return undefined
  return accepted.split(',').some((token) => token.trim() === 'gzip') ? 'gzip' : undefined
}

/** Returns the headers of a compressed response: the runtime compresses the body because of them while it sends. */
export function encodingHeaders(encoding: ContentEncoding | undefined, large: boolean): Record<string, string> {
  return encoding === undefined || !large ? {} : { 'content-encoding': encoding, vary: 'Accept-Encoding' }
}
