/**
 * Decides whether a response is compressed. Follows k8s.io/apiserver/pkg/endpoints/handlers/responsewriters: Accept-Encoding is
 * read without qualities, and only large responses are compressed.
 */

import { isEnabled } from '../../meta/feature-gates.ts'

/** The supported compressions. */
export type ContentEncoding = 'gzip'

/** Returns the compression that the client accepts, or undefined. `gzip;q=1` is not accepted, as in kube-apiserver. */
export function negotiateEncoding(request: Request): ContentEncoding | undefined {
  const accepted = request.headers.get('accept-encoding')
  if (accepted === null || !accepted.includes('gzip') || !isEnabled('APIResponseCompression')) return undefined
  return accepted.split(',').some((token) => token.trim() === 'gzip') ? 'gzip' : undefined
}

/** Returns the headers of a compressed response: the runtime compresses the body because of them while it sends. */
export function encodingHeaders(encoding: ContentEncoding | undefined, large: boolean): Record<string, string> {
  return encoding === undefined || !large ? {} : { 'content-encoding': encoding, vary: 'Accept-Encoding' }
}
