import { closeSync, openSync, rmSync } from 'node:fs'
import { authority, reachableHost } from './addresses.ts'
import { configure, configuredModules, isCertificateNew } from './configure.ts'
import { type DataDirectory, dataDirectoryAt, openDataDirectory, writePrivateFile } from './data-directory.ts'
import { warnOfGates } from './feature-gates.ts'
import { LauncherError, reasonOf } from './launcher-error.ts'
import { lockDataDirectory, unlockDataDirectory } from './lock.ts'
import { optionArguments, type ProxyKind, type StartOptions } from './options.ts'
import { usablePort } from './port.ts'
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
      await configure(directory, settled, proxy, readModules(modules))
      const ready = readyText(directory, settled)
      writePrivateFile(readyFile(directory), ready)
      const { workerdSocket } = await import('./proxy/workerd-socket.ts')
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
      rememberStart(directory, options, { command, ready, port }, [...modules, workerd, program.script])
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

/**
 * Runs a proxy in front of workerd; gives the exit code, of a TLS proxy while it goes on. A TCP proxy configures workerd to listen behind it, and to listen itself again
 * when it is not needed any more.
 * @throws LauncherError if it cannot listen
 */
export async function runProxy(options: StartOptions, proxy: ProxyKind): Promise<number> {
  const directory = existingDirectory(options)
  const { runTcpProxy, runTlsProxy } = await import('./proxy/run.ts')
  const { identityHeader } = await import('./proxy/workerd-socket.ts')
  if (proxy === 'tls') {
    await runTlsProxy(directory, options, { header: identityHeader(directory) })
    return 0
  }
  const modules = configuredModules(directory)
  await configure(directory, options, proxy, modules)
  await runTcpProxy(directory, options)
  await configure(directory, options, 'none', modules)
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

/** Proxies are not loaded for servers that ask for no certificates and speak no SPDY. @throws LauncherError if the authorities cannot be used */
async function prepareProxy(directory: DataDirectory, { clientCa, spdy }: StartOptions): Promise<'tls' | 'none'> {
  if (clientCa === undefined && !spdy) return 'none'
  const { readClientAuthorities } = await import('./proxy/run.ts')
  const { checkPrivateSocket, chooseIdentityHeader } = await import('./proxy/workerd-socket.ts')
  checkPrivateSocket(directory)
  if (clientCa !== undefined) readClientAuthorities(clientCa)
  chooseIdentityHeader(directory)
  return 'tls'
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
