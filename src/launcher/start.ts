import { closeSync, copyFileSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { certificatesIn } from '../auth/ca-fetch.ts'
import { type AccessSettings, accessSettings } from './access-settings.ts'
import { advertisedAddress, authority, reachableHost } from './addresses.ts'
import { type ServingCertificate, servingCertificate } from './certificates.ts'
import {
  adminToken,
  type DataDirectory,
  dataDirectoryAt,
  openDataDirectory,
  readIfPresent,
  writePrivateFile,
} from './data-directory.ts'
import { writeKubeconfig } from './kubeconfig.ts'
import { LauncherError, reasonOf } from './launcher-error.ts'
import { lockDataDirectory, unlockDataDirectory } from './lock.ts'
import { fileOptions, type StartOptions, settingOptions } from './options.ts'
import { usablePort } from './port.ts'
import { type Resident, type Supervision, supervise } from './supervise.ts'
import { workerdBinary } from './workerd-binary.ts'
import { type Listen, workerdConfigText } from './workerd-config.ts'

/** What the launcher takes from the program that carries it. */
export interface Program {
  /** The script that is run again, as `node <script> renew`, when a certificate may have to be renewed. */
  readonly script: string
  /** Gives the paths of the Worker's modules, its entry first, which it builds where the sources have changed. */
  readonly bundleWorker: () => Promise<readonly string[]>
}

/** The exit code of `renew` where the certificate is still good. */
const nothingToRenew = 3

/**
 * Starts the server and stays until it is stopped; gives the exit code.
 * @throws LauncherError for everything that the operator can mend
 */
export async function start(options: StartOptions, program: Program): Promise<number> {
  const workerd = workerdBinary()
  const directory = openDataDirectory(options.dataDirectory)
  const temporary = options.dataDirectory === undefined ? directory.path : undefined
  try {
    await lockDataDirectory(directory)
    try {
      const port = await usablePort(options.host, options.port)
      const settled = { ...options, port, dataDirectory: directory.path }
      const settings = await accessSettings(settled)
      copyWorker(await program.bundleWorker(), directory)
      const certificate = await servingCertificate(directory, settled)
      serveWith(certificate, directory, settled, settings, await listenOf(certificate, directory, settled, 'start'))
      const resident = await residentOf(directory, settled)
      writePrivateFile(join(directory.run, 'ready'), readyText(directory, settled))
      const watched = supervision({ directory, options: settled, program, workerd, temporary, resident })
      return await supervise(watched, 'calm')
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
 * Goes on in the place of a supervisor whose workerd has more connections than it can hold: a gate stands in front of workerd until
 * they are few again. Gives the exit code.
 * @throws LauncherError where the server cannot go on
 */
export async function protect(options: StartOptions, ephemeral: boolean, program: Program): Promise<number> {
  if (options.dataDirectory === undefined) throw new LauncherError('protect needs --data-dir.')
  const directory = dataDirectoryAt(options.dataDirectory)
  const temporary = ephemeral ? directory.path : undefined
  const settled = { ...options, dataDirectory: directory.path }
  const watched = { directory, options: settled, program, workerd: workerdBinary(), temporary, resident: undefined }
  return await supervise(supervision(watched), 'protected')
}

/** A server that is about to be looked after. */
interface Watched {
  readonly directory: DataDirectory
  readonly options: StartOptions & { readonly dataDirectory: string }
  readonly program: Program
  readonly workerd: string
  readonly temporary: string | undefined
  readonly resident: Resident | undefined
}

function supervision({ directory, options, program, workerd, temporary, resident }: Watched): Supervision {
  const listen = async (certificate: ServingCertificate, at: Listen): Promise<void> =>
    serveWith(certificate, directory, options, await accessSettings(options), at)
  return {
    run: directory.run,
    workerd,
    temporary,
    log: options.audit === undefined ? '-' : auditLog(options.audit.log),
    rotation: options.audit?.rotation,
    renew: [process.execPath, program.script, 'renew', ...commandLine(options)],
    resident,
    async protect() {
      const { behindGate, residentGate } = await import('./front/resident.ts')
      const certificate = await servingCertificate(directory, options)
      const at = behindGate(directory, certificate)
      await listen(certificate, at)
      return residentGate(at, options)
    },
    async relax() {
      const certificate = await servingCertificate(directory, options)
      await listen(certificate, await listenOf(certificate, directory, options, 'start'))
    },
  }
}

/**
 * Renews the certificate of a running server where that is due, without restarting it; gives the exit code: 0 where there is a new
 * one, 3 where not.
 * @throws LauncherError where the certificate is broken or cannot be written
 */
export async function renew(options: StartOptions): Promise<number> {
  if (options.dataDirectory === undefined) throw new LauncherError('renew needs --data-dir.')
  const directory = dataDirectoryAt(options.dataDirectory)
  const certificate = await servingCertificate(directory, options)
  if (readIfPresent(servedFile(directory)) === certificate.certificate) return nothingToRenew
  const listen = await listenOf(certificate, directory, options, 'renewal')
  serveWith(certificate, directory, options, await accessSettings(options), listen)
  return 0
}

function serveWith(
  certificate: ServingCertificate,
  directory: DataDirectory,
  options: StartOptions,
  settings: AccessSettings,
  listen: Listen,
): void {
  const token = adminToken(directory)
  const serverAddress = authority(reachableHost(options.host), options.port)
  const access = { server: `https://${serverAddress}`, authority: certificate.authority, token }
  for (const path of new Set([directory.kubeconfig, options.kubeconfig ?? directory.kubeconfig])) writeKubeconfig(path, access)
  const config = {
    listen,
    serverAddress,
    advertiseAddress: advertisedAddress(options.host, options.port),
    rootCertificate: certificate.authority ?? '',
    adminToken: token,
    settings: { ...settingsOf(options), ...settings.texts },
    authorities: [...new Set([...settings.authorities, ...webhookAuthorities(options.webhookCa)])],
    objects: directory.objects,
    modules: workerModules(directory),
  }
  writePrivateFile(join(directory.run, 'workerd.capnp'), workerdConfigText(config))
  writePrivateFile(servedFile(directory), certificate.certificate)
}

/** The front end is not loaded for those who ask for no certificates. */
async function listenOf(
  certificate: ServingCertificate,
  directory: DataDirectory,
  { host, port, clientCa }: StartOptions,
  begins: 'start' | 'renewal',
): Promise<Listen> {
  if (clientCa === undefined) return { at: 'port', address: authority(host, port), certificate }
  const { behindFront } = await import('./front/resident.ts')
  return behindFront(directory, begins)
}

async function residentOf(directory: DataDirectory, options: StartOptions): Promise<Resident | undefined> {
  if (options.clientCa === undefined) return undefined
  const { residentFront } = await import('./front/resident.ts')
  return residentFront(directory, options, options.clientCa)
}

function servedFile(directory: DataDirectory): string {
  return join(directory.run, 'serving.crt')
}

/** What the Worker reads of the options, by the names of docs/configuration.md. */
function settingsOf({ audit, clientCa, settings }: StartOptions): Readonly<Record<string, string>> {
  return {
    ...settings,
    ...(clientCa !== undefined && { CLIENT_CERTIFICATES: 'launcher' }),
    ...(audit !== undefined && { AUDIT_POLICY: auditPolicy(audit.policy) }),
  }
}

function auditPolicy(file: string): string {
  try {
    const text = readFileSync(file, 'utf8')
    if (text.trim() !== '') return text
  } catch (error) {
    throw new LauncherError(`The audit policy ${file} cannot be read: ${reasonOf(error)}.`)
  }
  throw new LauncherError(`The audit policy ${file} is empty: a Policy of audit.k8s.io/v1 needs at least one rule.`)
}

/** Each certificate of the file: a caBundle names it, alone or among others. */
function webhookAuthorities(file: string | undefined): string[] {
  if (file === undefined) return []
  try {
    const found = certificatesIn(readFileSync(file, 'utf8'))
    if (found.length > 0) return found
  } catch (error) {
    throw new LauncherError(`The authorities of webhooks ${file} cannot be read: ${reasonOf(error)}.`)
  }
  throw new LauncherError(`The authorities of webhooks ${file}: there is no certificate in PEM.`)
}

/** Makes sure that the log can be written, by its owner only where it is new. */
function auditLog(file: string): string {
  if (file === '-') return file
  try {
    closeSync(openSync(file, 'a', 0o600))
    return file
  } catch (error) {
    throw new LauncherError(`The audit log ${file} cannot be written: ${reasonOf(error)}.`)
  }
}

/** The name of the Worker's entry among its modules. */
const entryModule = 'worker.js'

const moduleDirectory = (directory: DataDirectory): string => join(directory.run, 'worker')

// workerd reads copies, so that a later build does not change a running server when it is restarted with a new certificate.
function copyWorker(modules: readonly string[], directory: DataDirectory): void {
  const copies = moduleDirectory(directory)
  try {
    rmSync(copies, { recursive: true, force: true })
    mkdirSync(copies, { mode: 0o700 })
    for (const [index, module] of modules.entries()) {
      copyFileSync(module, join(copies, index === 0 ? entryModule : basename(module)))
    }
  } catch (error) {
    throw new LauncherError(`The Worker's bundle ${modules[0]} cannot be read: ${reasonOf(error)}.`)
  }
}

/** The modules that were copied; workerd takes the first for the entry. */
function workerModules(directory: DataDirectory): string[] {
  const others = readdirSync(moduleDirectory(directory)).filter((name) => name !== entryModule)
  return [entryModule, ...others]
}

function commandLine(options: StartOptions & { readonly dataDirectory: string }): string[] {
  const { port, host, dataDirectory, kubeconfig, tls, audit, settings } = options
  const args = ['--port', String(port), '--host', host, '--data-dir', dataDirectory]
  if (kubeconfig !== undefined) args.push('--kubeconfig', kubeconfig)
  if (tls !== undefined) args.push('--tls-cert', tls.certificate, '--tls-key', tls.key)
  for (const [option, field] of Object.entries(fileOptions)) {
    const file = options[field]
    if (file !== undefined) args.push(`--${option}`, file)
  }
  if (audit !== undefined) args.push('--audit-policy-file', audit.policy, '--audit-log-path', audit.log)
  for (const [option, name] of Object.entries(settingOptions)) {
    const value = settings[name]
    if (value !== undefined) args.push(`--${option}=${value}`)
  }
  return args
}

function readyText(directory: DataDirectory, options: StartOptions): string {
  const kubeconfig = options.kubeconfig ?? directory.kubeconfig
  const shown = /^[\w@%+=:,./-]+$/.test(kubeconfig) ? kubeconfig : `'${kubeconfig.replaceAll("'", "'\\''")}'`
  return `edgeplane: a Kubernetes API server is ready

  URL         https://${authority(reachableHost(options.host), options.port)}
  kubeconfig  ${kubeconfig}

  export KUBECONFIG=${shown}
  kubectl get namespaces

  Stop it with Ctrl-C.
`
}
