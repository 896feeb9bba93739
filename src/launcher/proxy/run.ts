/** The processes that run beside workerd and listen in front of it: a TLS proxy, or a TCP proxy. The supervisor starts and ends them. */
import { X509Certificate } from 'node:crypto'
import { watchFile, writeSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { servingCertificate } from '../certificates.ts'
import { type DataDirectory, readIfPresent } from '../data-directory.ts'
import { LauncherError, reasonOf } from '../launcher-error.ts'
import type { StartOptions } from '../options.ts'
import { connectionLimits, descriptorLimit } from './connection-limiter.ts'
import { TcpProxy } from './tcp-proxy.ts'
import { type ServingKeys, TlsProxy } from './tls-proxy.ts'
import { workerdSocket } from './workerd-socket.ts'

/** How often the authorities' file is checked for changes, in milliseconds. */
const fileInterval = 30_000
/** A TCP proxy ends when no more than so many connections have been open for so long, in milliseconds. */
const fewConnections = 200
const fewFor = 5 * 60 * 1000
const countInterval = 1000

/**
 * Ends TLS in front of workerd until the process is killed. SIGHUP has it read its certificate again.
 * @throws LauncherError if the file of clients' authorities or the port cannot be used
 */
export async function runTlsProxy(
  directory: DataDirectory,
  options: Pick<StartOptions, 'host' | 'port' | 'tls' | 'settings' | 'clientCa'>,
  upstream: { readonly header: string },
): Promise<void> {
  const { clientCa } = options
  const keys = async (): Promise<ServingKeys> => {
    const { certificate, key } = await servingCertificate(directory, options)
    return { certificate, key, clientAuthorities: clientCa === undefined ? '' : readClientAuthorities(clientCa) }
  }
  const proxy = await TlsProxy.listen(options, { socket: workerdSocket(directory), header: upstream.header }, await keys())
  const reload = (): void => {
    keys().then(
      (changed) => proxy.use(changed),
      (error: unknown) => process.stderr.write(`edgeplane: ${reasonOf(error)} The TLS proxy keeps its certificates.\n`),
    )
  }
  if (clientCa !== undefined) watchFile(clientCa, { persistent: false, interval: fileInterval }, reload)
  process.on('SIGHUP', reload)
  reportListening()
}

/**
 * Passes connections on to workerd until no more than a few have been open for five minutes.
 * @throws LauncherError if the port cannot be used
 */
export async function runTcpProxy(directory: DataDirectory, options: Pick<StartOptions, 'host' | 'port'>): Promise<void> {
  const proxy = await TcpProxy.listen(options, workerdSocket(directory), connectionLimits(descriptorLimit()))
  reportListening()
  for (let since = Date.now(); Date.now() - since < fewFor; ) {
    await wait(countInterval)
    if (proxy.limiter.size > fewConnections) since = Date.now()
  }
  proxy.close()
}

/** Reads certificates. @throws LauncherError if the file holds none, or one that does not parse */
export function readClientAuthorities(file: string): string {
  const found = readIfPresent(file)?.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    for (const pem of found) new X509Certificate(pem)
  } catch (error) {
    throw new LauncherError(`The file ${file} of --client-ca-file cannot be used: ${reasonOf(error)}.`)
  }
  if (found.length === 0) throw new LauncherError(`The file ${file} of --client-ca-file holds no PEM certificate.`)
  return `${found.join('\n')}\n`
}

/** Tells the supervisor, on descriptor 3, that clients can connect. Only it ends this process: Ctrl-C reaches it too. */
function reportListening(): void {
  process.on('SIGINT', () => undefined)
  writeSync(3, 'listening\n')
}
