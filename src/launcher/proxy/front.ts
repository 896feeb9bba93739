/**
 * The TCP proxy as a process in front of workerd, which the supervisor starts and ends. This is the entry of a bundle of its own: it
 * stays as long as the server, and the whole launcher would take twice its memory.
 */
import { parseArgs } from 'node:util'
import { dataDirectoryAt } from '../data-directory.ts'
import { LauncherError } from '../launcher-error.ts'
import { connectionLimits } from './connection-limiter.ts'
import { serveHeaderLines } from './header-lines.ts'
import { reportListening } from './listening.ts'
import { openConnections } from './open-connections.ts'
import { openTcpProxy } from './tcp-proxy.ts'
import { headerLinesSocket, workerdSocket } from './workerd-socket.ts'

/** Listens with the options of `edgeplane start`, of which few matter here. */
async function run(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args,
    strict: false,
    options: { host: text, port: text, 'data-dir': text, 'max-connections': text },
  })
  const limit = values['max-connections']
  const open = openConnections('tcp', limit === undefined ? undefined : Number(limit))
  const directory = dataDirectoryAt(String(values['data-dir']))
  const address = { host: String(values.host), port: Number(values.port) }
  await openTcpProxy(address, workerdSocket(directory), connectionLimits(open))
  serveHeaderLines(headerLinesSocket(directory))
  reportListening()
}

run(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof LauncherError)) throw error
  process.stderr.write(`edgeplane: ${error.message}\n`)
  process.exitCode = 1
})
