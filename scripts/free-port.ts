/** Ports for servers that scripts, benchmarks and tests start. */
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Returns a free port of 127.0.0.1. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
