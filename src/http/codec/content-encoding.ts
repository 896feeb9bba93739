/**
 * Whether an answer goes out compressed. Follows k8s.io/apiserver/pkg/endpoints/handlers/responsewriters: what the client takes is
 * read without qualities, and only what is long is compressed.
 */

import { isEnabled } from '../../meta/feature-gates.ts'

/** The compressions that there are. */
export type ContentEncoding = 'gzip'

/** The compression that the client takes; undefined where it takes none. `gzip;q=1` is none to kube-apiserver. */
export function negotiateEncoding(request: Request): ContentEncoding | undefined {
  const accepted = request.headers.get('accept-encoding')
  if (accepted === null || !accepted.includes('gzip') || !isEnabled('APIResponseCompression')) return undefined
  return accepted.split(',').some((token) => token.trim() === 'gzip') ? 'gzip' : undefined
}

/** The headers of an answer that goes out compressed: the runtime compresses by them, as it sends. */
export function encodingHeaders(encoding: ContentEncoding | undefined, large: boolean): Record<string, string> {
  return encoding === undefined || !large ? {} : { 'content-encoding': encoding, vary: 'Accept-Encoding' }
}
