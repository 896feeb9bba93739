import { once } from 'node:events'
import { createServer } from 'node:net'
import { errorCode, LauncherError, reasonOf } from './launcher-error.ts'

/**
 * Gives `port` back if a server may listen on it, and any free one for 0.
 * @throws LauncherError if it is taken or forbidden, or the host is not an address of this machine
 */
export async function usablePort(host: string, port: number): Promise<number> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : port
  } catch (error) {
    if (errorCode(error) === 'EADDRINUSE') {
      throw new LauncherError(`Port ${port} on ${host} is taken by another process: stop it, or choose another port with --port.`)
    }
    throw new LauncherError(`The server cannot listen on port ${port} of ${host}: ${reasonOf(error)}.`)
  } finally {
    server.close()
  }
}
