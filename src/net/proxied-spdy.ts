/**
 * SPDY from clients, between the TLS proxy of the local server and the Worker: workerd cannot switch a connection to it. All that a
 * client sends after its request is the body of that request, and all that it receives is in the body of a response with status 200,
 * which the proxy turns into 101. Both bodies are sent while they come, and neither side reads more than the other one takes.
 *
 * The body of the response consists of parts with their length before them, and ends for the client with an empty part. The response
 * itself ends after the request: workerd closes a connection whose response ends first, and what the client still sends would be
 * answered with a reset, which discards all that has not been read.
 */
import { joined } from './tls/bytes.ts'

/** The bytes of the length, the most significant first. */
export const lengthBytes = 4

/** Returns a part of the body; without data, the end for the client. */
export function partOf(data: Uint8Array = new Uint8Array()): Uint8Array {
  const length = new Uint8Array(lengthBytes)
  new DataView(length.buffer).setUint32(0, data.length)
  return joined(length, data)
}

/** The protocol in the header `Upgrade`. */
export const spdyProtocol = 'SPDY/3.1'

/** The response header, in lower case, by which the Worker agrees; its value is the protocol. No other server can set it. */
export const agreedHeader = 'edgeplane-upgrade'

/** Whether the TLS proxy of the local server passes a request on whose body are the bytes of SPDY. No client can say so itself. */
export const isProxiedSpdy = ({ cf }: Request): boolean => (cf as { readonly spdy?: boolean } | undefined)?.spdy === true

/** Returns the status of a response as the client gets it. */
export const statusOfClient = ({ status, headers }: Response): number =>
  status === 200 && headers.has(agreedHeader) ? 101 : status
