/** The network of a cluster: all connections that its objects make the server open go through it. */

/** A network, which may refuse addresses. */
export interface Network {
  /** @throws Error with Go's text if the cluster may not connect to the address */
  connect(address: SocketAddress, options: SocketOptions): Socket
  /** @throws Error with Go's text if the cluster may not connect to the host of the URL */
  fetch(url: string, init: RequestInit): Promise<Response>
}

/** The timeout in milliseconds: a call has failed already, and its caller waits only for the reason. */
const patience = 1_000

/** Whether a host accepts TCP connections at a port. Sends nothing. */
export async function canConnect(network: Network, hostname: string, port: number): Promise<boolean> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('nobody has answered in time')), patience)
  let socket: Socket | undefined
  try {
    socket = network.connect({ hostname, port }, { secureTransport: 'off', allowHalfOpen: false })
    await Promise.race([socket.opened, late])
    return true
  } catch {
    return false
  } finally {
    clearTimeout(timer)
    socket?.close().catch(() => undefined)
  }
}
