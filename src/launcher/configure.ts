/** Writes what a running server reads: workerd's configuration, the Worker's modules and the kubeconfigs. */
import { copyFileSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { certificatesIn } from '../net/certificates.ts'
import { accessSettings } from './access-settings.ts'
import { advertisedAddress, authority, reachableHost } from './addresses.ts'
import { type ServingCertificate, servingCertificate } from './certificates.ts'
import { adminToken, type DataDirectory, readIfPresent, writePrivateFile } from './data-directory.ts'
import { frontProxySettings } from './front-proxy.ts'
import { writeKubeconfig } from './kubeconfig.ts'
import { kubeletSettings } from './kubelets.ts'
import { LauncherError, reasonOf } from './launcher-error.ts'
import type { ProxyKind, StartOptions } from './options.ts'
import { type Listen, localSettings, type WorkerdConfig, type WorkerModule, workerdConfig } from './workerd-config.ts'

/** What the options mean for a server. */
export interface ServerSettings {
  /** The Worker's settings, by the names of docs/configuration.md. */
  readonly settings: Readonly<Record<string, string>>
  /** The authorities of issuers' and webhooks' servers, beside those that everybody trusts; PEM. */
  readonly authorities: readonly string[]
}

/**
 * Gives the settings that follow from the options.
 * @throws LauncherError if one of the operator's files cannot be used
 */
export async function serverSettings(
  directory: DataDirectory,
  options: StartOptions,
  certificate: ServingCertificate,
): Promise<ServerSettings> {
  const { texts, authorities } = await accessSettings(options)
  return {
    settings: {
      ...localSettings,
      ...(await frontProxySettings(directory, options)),
      ...kubeletSettings(options),
      ...settingsOf(options),
      ...texts,
      SERVER_ADDRESS: serverAddress(options),
      ADVERTISE_ADDRESS: advertisedAddress(options.host, options.port),
      ADMIN_TOKEN: adminToken(directory),
      ROOT_CERTIFICATE: certificate.authority ?? '',
    },
    authorities: [...new Set([...authorities, ...webhookAuthorities(options.webhookCa)])],
  }
}

/** `host:port` under which clients reach the server. */
const serverAddress = ({ host, port }: StartOptions): string => authority(reachableHost(host), port)

/**
 * Configures workerd for its next start.
 * @param proxy what listens in front of it
 * @throws LauncherError if the certificate or one of the operator's files cannot be used
 */
export async function configure(directory: DataDirectory, options: StartOptions, proxy: ProxyKind): Promise<void> {
  const certificate = await servingCertificate(directory, options)
  const { settings, authorities } = await serverSettings(directory, options, certificate)
  const access = {
    server: `https://${serverAddress(options)}`,
    authority: certificate.authority,
    token: adminToken(directory),
  }
  for (const path of new Set([directory.kubeconfig, options.kubeconfig ?? directory.kubeconfig])) writeKubeconfig(path, access)
  const listen = await listenOf(certificate, directory, options, proxy)
  const process = processDirectory(directory, options)
  writeWorkerdConfig(directory, { listen, settings, authorities, process, modules: readModules(workerModules(directory)) })
  writePrivateFile(servedFile(directory), certificate.certificate)
}

/** Writes workerd's configuration for a data directory. */
export function writeWorkerdConfig(directory: DataDirectory, config: Omit<WorkerdConfig, 'objects'>): void {
  writePrivateFile(workerdConfigFile(directory), workerdConfig({ ...config, objects: directory.objects }))
}

/** The file of workerd's configuration. */
export const workerdConfigFile = (directory: DataDirectory): string => join(directory.run, 'workerd.bin')

/** Makes the directory in which the supervisor tells the Worker about its process; undefined if it need not. */
function processDirectory({ run }: DataDirectory, { shutdownDelay, processMetrics }: StartOptions): string | undefined {
  if (shutdownDelay === 0 && !processMetrics) return undefined
  const directory = join(run, 'process')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return directory
}

/** Tells whether the server certificate has been replaced since workerd was configured. @throws LauncherError if it is broken */
export async function isCertificateNew(directory: DataDirectory, options: StartOptions): Promise<boolean> {
  const { certificate } = await servingCertificate(directory, options)
  return readIfPresent(servedFile(directory)) !== certificate
}

const servedFile = (directory: DataDirectory): string => join(directory.run, 'serving.crt')

/** The sockets are not loaded for servers without a proxy. */
async function listenOf(
  certificate: ServingCertificate,
  directory: DataDirectory,
  { host, port }: StartOptions,
  proxy: ProxyKind,
): Promise<Listen> {
  if (proxy === 'none') return { at: 'port', address: authority(host, port), certificate }
  const { identityHeader, workerdSocket } = await import('./proxy/workerd-socket.ts')
  const path = workerdSocket(directory)
  return proxy === 'tls'
    ? { at: 'http socket', path, header: identityHeader(directory) }
    : { at: 'https socket', path, certificate }
}

/** The Worker's settings that come from options, by the names of docs/configuration.md. */
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

/** Reads each certificate of the file: a caBundle names it, alone or among others. */
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

/** The name of the Worker's entry among its modules. */
export const entryModule = 'worker.js'

const moduleDirectory = (directory: DataDirectory): string => join(directory.run, 'worker')

/**
 * Keeps the Worker's modules as they are, so that a later build does not change a running server when it is restarted with a new certificate.
 * @param modules their paths, the entry first
 * @throws LauncherError if they cannot be copied
 */
export function copyWorker(modules: readonly string[], directory: DataDirectory): void {
  const copies = moduleDirectory(directory)
  try {
    rmSync(copies, { recursive: true, force: true })
    mkdirSync(copies, { mode: 0o700 })
    for (const [index, module] of modules.entries()) {
      keepFile(module, join(copies, index === 0 ? entryModule : basename(module)))
    }
  } catch (error) {
    throw new LauncherError(`The Worker's bundle ${modules[0]} cannot be read: ${reasonOf(error)}.`)
  }
}

/** Makes a link, which keeps the file when a build replaces it, or a copy on another file system. */
function keepFile(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
  }
}

/** The paths of the modules that were copied; workerd takes the first for the entry. */
function workerModules(directory: DataDirectory): string[] {
  const modules = moduleDirectory(directory)
  const others = readdirSync(modules).filter((name) => name !== entryModule)
  return [entryModule, ...others].map((name) => join(modules, name))
}

/** Reads the Worker's modules, the entry first. */
export const readModules = (paths: readonly string[]): WorkerModule[] =>
  paths.map((path, index) => ({ name: index === 0 ? entryModule : basename(path), text: readFileSync(path) }))
