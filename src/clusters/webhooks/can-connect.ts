/** Finds out why a webhook could not be reached: the runtime's error says hardly more than that it failed. */
import { connect } from 'cloudflare:sockets'

/** The timeout in milliseconds: the webhook call has failed already, and its caller waits only for the reason. */
const patience = 1_000

/** Whether a host accepts TCP connections at a port. Sends nothing. */
export async function canConnect(hostname: string, port: number): Promise<boolean> {
  const socket = connect({ hostname, port })
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('nobody has answered in time')), patience)
  try {
    await Promise.race([socket.opened, late])
    return true
  } catch {
    return false
  } finally {
    clearTimeout(timer)
    socket.close().catch(() => undefined)
  }
}
