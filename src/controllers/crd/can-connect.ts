/** Finds out why a webhook could not be asked: the runtime says hardly more than that it could not. */
import { connect } from 'cloudflare:sockets'

/** Milliseconds: whoever asks has failed already, and waits only for the reason. */
const patience = 1_000

/** Whether somebody listens at a host's port. Sends nothing. */
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
