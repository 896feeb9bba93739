/** What stands in front of workerd, as a part of a running server: its socket, its header's name, its authorities' file, its certificate. */
import { createHash, X509Certificate } from 'node:crypto'
import { unwatchFile, watchFile } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServingCertificate, servingCertificate } from '../certificates.ts'
import { type DataDirectory, readIfPresent, writePrivateFile } from '../data-directory.ts'
import { LauncherError, reasonOf } from '../launcher-error.ts'
import type { StartOptions } from '../options.ts'
import type { Resident } from '../supervise.ts'
import type { Listen } from '../workerd-config.ts'
import { connectionLimits, descriptorLimit } from './connection-limiter.ts'
import { TcpProxy } from './tcp-proxy.ts'
import { type ServingKeys, secretHeader, TlsProxy } from './tls-proxy.ts'

/** Milliseconds between two looks at the authorities' file. */
const lookInterval = 30_000
/** What the name of a Unix socket may take, on the systems that allow the least. */
const longestSocketPath = 103

const headerFile = (directory: DataDirectory): string => join(directory.run, 'identity-header')
const socketOf = (directory: DataDirectory): string => join(directory.run, 'workerd.sock')

/**
 * Where workerd listens behind a front end. The header's name is chosen at a start, and stays while the server runs.
 * @throws LauncherError where the system has no such sockets, or the directory's path is too long for one
 */
export function behindFront(directory: DataDirectory, begins: 'start' | 'renewal'): Listen & { readonly at: 'socket' } {
  const path = socketOf(directory)
  if (process.platform === 'win32') throw new LauncherError('--client-ca-file needs Unix sockets, which this system has not.')
  if (Buffer.byteLength(path) > longestSocketPath) {
    throw new LauncherError(
      `The path ${path} is too long for the name of a socket, which --client-ca-file needs: choose another --data-dir.`,
    )
  }
  const header = (begins === 'start' ? undefined : readIfPresent(headerFile(directory))) ?? secretHeader()
  writePrivateFile(headerFile(directory), header)
  return { at: 'socket', path, header }
}

/** Where workerd listens behind a gate; where the directory's path is too long for a socket, among the system's temporary files. */
export function behindGate(directory: DataDirectory, certificate: ServingCertificate): Listen & { readonly at: 'gate' } {
  const own = socketOf(directory)
  const name = `edgeplane-${createHash('sha256').update(own).digest('hex').slice(0, 16)}.sock`
  const path = Buffer.byteLength(own) > longestSocketPath ? join(tmpdir(), name) : own
  return { at: 'gate', path, certificate }
}

/** The gate of a server of which more is asked than it has descriptors for. */
export function residentGate({ path }: { readonly path: string }, { host, port }: Pick<StartOptions, 'host' | 'port'>): Resident {
  let gate: TcpProxy | undefined
  return {
    socket: path,
    begins: 'before workerd',
    get connections() {
      return gate?.limiter.size ?? 0
    },
    async start() {
      gate = await TcpProxy.listen({ host, port }, path, connectionLimits(descriptorLimit()))
    },
    // TLS is workerd's.
    renewed: async () => undefined,
    stop() {
      gate?.close()
    },
  }
}

/**
 * The front end of a server that is about to start.
 * @throws LauncherError where the authorities' file cannot be used
 */
export function residentFront(
  directory: DataDirectory,
  options: Pick<StartOptions, 'host' | 'port' | 'tls'>,
  clientCa: string,
): Resident {
  const { host, port } = options
  const { path: socket, header } = behindFront(directory, 'renewal')
  const keys = async (): Promise<ServingKeys> => {
    const { certificate, key } = await servingCertificate(directory, options)
    return { certificate, key, clientAuthorities: clientAuthorities(clientCa) }
  }
  clientAuthorities(clientCa)
  let front: TlsProxy | undefined
  const reload = async (): Promise<void> => front?.use(await keys())
  const changed = (): void => {
    reload().catch((error: unknown) => process.stderr.write(`edgeplane: ${reasonOf(error)} It goes on with what it has.\n`))
  }
  return {
    socket,
    begins: 'after workerd',
    connections: Number.POSITIVE_INFINITY,
    async start() {
      front = await TlsProxy.listen({ host, port }, { socket, header }, await keys())
      watchFile(clientCa, { persistent: false, interval: lookInterval }, changed)
    },
    renewed: reload,
    stop() {
      unwatchFile(clientCa, changed)
      front?.close()
    },
  }
}

/** The certificates of a file, PEM. */
function clientAuthorities(file: string): string {
  const found = readIfPresent(file)?.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    for (const pem of found) new X509Certificate(pem)
  } catch (error) {
    throw new LauncherError(`The file ${file} of --client-ca-file cannot be used: ${reasonOf(error)}.`)
  }
  if (found.length === 0) throw new LauncherError(`The file ${file} of --client-ca-file holds no PEM certificate.`)
  return `${found.join('\n')}\n`
}
