/** The TLS proxy as a process in front of workerd, which the supervisor starts and ends. */
import { X509Certificate } from 'node:crypto'
import { watchFile } from 'node:fs'
import { servingCertificate } from '../certificates.ts'
import { type DataDirectory, readIfPresent } from '../data-directory.ts'
import { LauncherError, reasonOf } from '../launcher-error.ts'
import type { StartOptions } from '../options.ts'
import { connectionLimits } from './connection-limiter.ts'
import { serveHeaderLines } from './header-lines.ts'
import { reportListening } from './listening.ts'
import { openConnections } from './open-connections.ts'
import { type ServingKeys, TlsProxy } from './tls-proxy.ts'
import { headerLinesSocket, workerdSocket } from './workerd-socket.ts'

/** How often the authorities' file is checked for changes, in milliseconds. */
const fileInterval = 30_000

/**
 * Ends TLS in front of workerd until the process is killed. SIGHUP has it read its certificate again.
 * @throws LauncherError if the file of clients' authorities or the port cannot be used
 */
export async function runTlsProxy(
  directory: DataDirectory,
  options: Pick<StartOptions, 'host' | 'port' | 'tls' | 'settings' | 'files' | 'maxConnections'>,
  upstream: { readonly header: string },
): Promise<void> {
  const clientCa = options.files.clientCertificateAuthorities
  const limits = connectionLimits(openConnections('tls', options.maxConnections))
  const keys = async (): Promise<ServingKeys> => {
    const { certificate, key } = await servingCertificate(directory, options)
    return { certificate, key, clientAuthorities: clientCa === undefined ? '' : readClientAuthorities(clientCa) }
  }
  const behind = { socket: workerdSocket(directory), header: upstream.header }
  const proxy = await TlsProxy.listen(options, behind, await keys(), limits)
  serveHeaderLines(headerLinesSocket(directory))
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
