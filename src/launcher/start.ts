import { closeSync, openSync, rmSync } from 'node:fs'
import { authority, isLoopback, reachableHost } from './addresses.ts'
import { configure, configuredModules, isCertificateNew } from './configure.ts'
import { type DataDirectory, dataDirectoryAt, openDataDirectory, writePrivateFile } from './data-directory.ts'
import { warnOfGates } from './feature-gates.ts'
import { LauncherError, reasonOf } from './launcher-error.ts'
import { lockDataDirectory, unlockDataDirectory } from './lock.ts'
import { optionArguments, type StartOptions } from './options.ts'
import { usablePort } from './port.ts'
import { openConnections, type ProxyKind } from './proxy/open-connections.ts'
import { checkPrivateSocket, chooseIdentityHeader, identityHeader, workerdSocket } from './proxy/workerd-socket.ts'
import { rememberStart } from './remember-start.ts'
import { readyFile } from './start-record.ts'
import { supervise, supervisorCommand } from './supervise.ts'
import { workerdBinary } from './workerd-binary.ts'
import { readModules } from './workerd-config.ts'

/** The program that carries the launcher. */
export interface Program {
  /** The script that is run again for internal commands, as `node <script> renew`. */
  readonly script: string
  /** Gives the paths of the Worker's modules, its entry first; builds them if the sources have changed. */
  readonly bundleWorker: () => Promise<readonly string[]>
  /** Gives the paths of the TCP proxy's modules, likewise. */
  readonly bundleFront: () => Promise<readonly string[]>
  /** Builds the programs for envtest, with the Worker, if the sources have changed. */
  readonly bundleAssets: () => Promise<void>
}

/** The exit code of `renew` if the certificate is still good. */
const nothingToRenew = 3

/**
 * Starts the server and stays until it is stopped; gives the exit code.
 * @throws LauncherError for everything that the operator can mend
 */
export async function start(options: StartOptions, program: Program): Promise<number> {
  if (process.platform === 'win32') throw new LauncherError('The local server needs a POSIX shell: on Windows, run it in WSL.')
  warnOfGates(options.settings)
  const workerd = workerdBinary()
  const directory = openDataDirectory(options.dataDirectory)
  const temporary = options.dataDirectory === undefined ? directory.path : undefined
  try {
    await lockDataDirectory(directory)
    try {
      const port = await usablePort(options.host, options.port)
      const settled = { ...options, port, dataDirectory: directory.path }
      const proxy = await prepareProxy(directory, options)
      const modules = await program.bundleWorker()
      const fronts = await program.bundleFront()
      await configure(directory, settled, proxy, readModules(modules))
      const ready = readyText(directory, settled)
      writePrivateFile(readyFile(directory), ready)
      const command = supervisorCommand({
        run: directory.run,
        workerd,
        temporary,
        socket: workerdSocket(directory),
        log: auditLog(options.audit),
        proxy,
        shutdownDelay: options.shutdownDelay,
        processMetrics: options.processMetrics,
        program: [process.execPath, program.script],
        options: optionArguments(settled),
      })
      rememberStart(directory, { ...options, proxy }, { command, ready, port }, [...modules, ...fronts, workerd, program.script])
      return await supervise(command)
    } catch (error) {
      unlockDataDirectory(directory)
      throw error
    }
  } catch (error) {
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true })
    throw error
  }
}

/**
 * Configures workerd with a new certificate if one is due, without restarting it; gives the exit code: 0 if there is a new one, else 3.
 * @throws LauncherError if the certificate is broken or cannot be written
 */
export async function renew(options: StartOptions, proxy: ProxyKind): Promise<number> {
  const directory = existingDirectory(options)
  if (!(await isCertificateNew(directory, options))) return nothingToRenew
  await configure(directory, options, proxy, configuredModules(directory))
  return 0
}

/** Runs the TLS proxy in front of workerd; gives the exit code while it goes on. @throws LauncherError if it cannot listen */
export async function runProxy(options: StartOptions): Promise<number> {
  const directory = existingDirectory(options)
  const { runTlsProxy } = await import('./proxy/run.ts')
  await runTlsProxy(directory, options, { header: identityHeader(directory) })
  return 0
}

/** Writes the standard input to the audit log until it ends; gives the exit code. @throws Error if the file cannot be written */
export async function runAuditLog({ audit }: StartOptions): Promise<number> {
  if (audit?.rotation === undefined) throw new LauncherError('audit-log needs --audit-log-maxsize.')
  const { writeAuditLog } = await import('./audit-file.ts')
  await writeAuditLog(audit.log, audit.rotation)
  return 0
}

function existingDirectory({ dataDirectory }: StartOptions): DataDirectory {
  if (dataDirectory === undefined) throw new LauncherError('--data-dir is missing.')
  return dataDirectoryAt(dataDirectory)
}

/**
 * Chooses the proxy. On the loopback interface bytes pass unread, which costs little; elsewhere the proxy ends TLS, because it has to
 * tell workerd the addresses of clients.
 * @throws LauncherError if the authorities cannot be used, or there are not so many descriptors
 */
async function prepareProxy(directory: DataDirectory, options: StartOptions): Promise<ProxyKind> {
  const { files, spdy, host, maxConnections } = options
  const clientCa = files.clientCertificateAuthorities
  const kind = clientCa === undefined && !spdy && isLoopback(host) ? 'tcp' : 'tls'
  openConnections(kind, maxConnections)
  if (kind === 'tcp') return kind
  checkPrivateSocket(directory)
  if (clientCa !== undefined) (await import('./proxy/run.ts')).readClientAuthorities(clientCa)
  chooseIdentityHeader(directory)
  return kind
}

/** Makes sure that the log can be written, by its owner only if it is new; gives the supervisor's name for it. */
function auditLog(audit: StartOptions['audit']): string {
  if (audit === undefined || audit.log === '-') return '-'
  try {
    closeSync(openSync(audit.log, 'a', 0o600))
  } catch (error) {
    throw new LauncherError(`The audit log ${audit.log} cannot be written: ${reasonOf(error)}.`)
  }
  return audit.rotation === undefined ? audit.log : '+'
}

/** Quotes a text for a shell if that is necessary. */
export const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

function readyText(directory: DataDirectory, options: StartOptions): string {
  const kubeconfig = options.kubeconfig ?? directory.kubeconfig
  return `edgeplane: a Kubernetes API server is ready

  URL         https://${authority(reachableHost(options.host), options.port)}
  kubeconfig  ${kubeconfig}

  export KUBECONFIG=${shellWord(kubeconfig)}
  kubectl get namespaces

  Stop it with Ctrl-C.
`
}
