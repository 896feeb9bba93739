/**
 * SPDY from clients, between the TLS proxy of the local server and the Worker: workerd cannot switch a connection to it. All that a
 * client sends after its request is the body of that request, and all that it receives is the body of a response with status 200,
 * which the proxy turns into 101. Both bodies are sent while they come, and neither side reads more than the other one takes.
 */

/** The protocol in the header `Upgrade`. */
export const spdyProtocol = 'SPDY/3.1'

/** The response header, in lower case, by which the Worker agrees; its value is the protocol. No other server can set it. */
export const agreedHeader = 'edgeplane-upgrade'

/** Whether the TLS proxy of the local server passes a request on whose body are the bytes of SPDY. No client can say so itself. */
export const isProxiedSpdy = ({ cf }: Request): boolean => (cf as { readonly spdy?: boolean } | undefined)?.spdy === true

/** Returns the status of a response as the client gets it. */
export const statusOfClient = ({ status, headers }: Response): number =>
  status === 200 && headers.has(agreedHeader) ? 101 : status
