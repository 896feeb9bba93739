/** Ports for servers that scripts, benchmarks and tests start. */
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Ports below those that systems give to outgoing connections: one of those may be taken between this check and the server's start.
 * Each process has a few for itself, so that two that ask at the same moment do not get the same one.
 */
const first = 10_000
const processes = 1_100
const portsOfProcess = 20
const start = first + (process.pid % processes) * portsOfProcess
let asked = 0

/** Returns a free port of 127.0.0.1. @throws Error if none of this process's ports is free */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < portsOfProcess; attempt++) {
    const port = start + (asked++ % portsOfProcess)
    if (await isFree(port)) return port
  }
  throw new Error(`no port from ${start} to ${start + portsOfProcess - 1} is free`)
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  try {
    await once(probe.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  probe.close()
  await once(probe, 'close')
  return true
}
