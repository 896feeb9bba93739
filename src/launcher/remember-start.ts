import { fileURLToPath } from 'node:url'
import { timeOfCertificates } from './certificates.ts'
import { workerdConfigFile } from './configure.ts'
import type { DataDirectory } from './data-directory.ts'
import type { StartOptions } from './options.ts'
import type { ProxyKind } from './proxy/open-connections.ts'
import { startOptions } from './start-options.ts'
import { removeStartRecord, type StartRecord, writeStartRecord } from './start-record.ts'

/**
 * Records a start for the next one, unless it has to determine more than a record can tell: then there is no record any more.
 * @param start the command and the text of this start, with the port that was asked for
 * @param programs the files of this program and of workerd
 * @throws LauncherError if the record cannot be written
 */
export function rememberStart(
  directory: DataDirectory,
  options: StartOptions & { readonly proxy: ProxyKind },
  start: Pick<StartRecord, 'command' | 'ready' | 'port'>,
  programs: readonly string[],
): void {
  if (!isRepeatable(options)) {
    removeStartRecord(directory)
    return
  }
  const tls = ['ca.pem', 'front-proxy-ca.pem', 'server.pem', 'front-proxy-client.pem'].map((name) => `${directory.tls}/${name}`)
  const configured = [
    workerdConfigFile(directory),
    directory.adminToken,
    directory.kubeconfig,
    options.kubeconfig ?? directory.kubeconfig,
  ]
  const files = [...programs, fileURLToPath(import.meta.url), ...tls, ...configured]
  writeStartRecord(directory, { ...start, ...timeOfCertificates(directory), files })
}

/** Tells whether the next start can do the same: files of the operator's are read each time, and warnings are printed. */
function isRepeatable(options: StartOptions & { readonly proxy: ProxyKind }): boolean {
  const named = (['tls', 'proxyClient', 'kubeletClient', 'audit'] as const).some((field) => options[field] !== undefined)
  const hasFiles = named || Object.keys(options.files).length > 0
  const hasWarnings = options.settings.FEATURE_GATES !== undefined || process.argv.some((arg) => isDeprecated(arg))
  // The TLS proxy's secret is another one each time.
  const hasProcesses = options.proxy === 'tls' || options.processMetrics || options.shutdownDelay > 0
  return !hasFiles && options.dataDirectory !== undefined && options.port !== 0 && !hasWarnings && !hasProcesses
}

const isDeprecated = (arg: string): boolean =>
  startOptions.some(({ name, deprecated }) => deprecated !== undefined && arg.startsWith(`--${name}`))
