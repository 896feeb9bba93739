/** Writes what a running server reads: workerd's configuration, the Worker's modules and the kubeconfigs. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { settingRows } from '../config/settings.ts'
import { accessSettings } from './access-settings.ts'
import { advertisedAddress, authority, loopbackAddress, reachableHost } from './addresses.ts'
import { adminToken } from './admin-token.ts'
import { type ListSegment, listSegmentOf } from './capnp.ts'
import { type ServingCertificate, servingCertificate } from './certificates.ts'
import { type DataDirectory, readIfPresent, writePrivateFile } from './data-directory.ts'
import { frontProxySettings } from './front-proxy.ts'
import { writeKubeconfig } from './kubeconfig.ts'
import { kubeletSettings } from './kubelets.ts'
import { LauncherError, reasonOf } from './launcher-error.ts'
import type { StartOptions } from './options.ts'
import type { ProxyKind } from './proxy/open-connections.ts'
import { headerLinesSocket, identityHeader, workerdSocket } from './proxy/workerd-socket.ts'
import { type Listen, type WorkerdConfig, workerdConfig } from './workerd-config.ts'

/** The texts of the local server without options. */
const localSettings = Object.fromEntries(
  settingRows.flatMap(([, { variable, local }]) => (local === undefined ? [] : [[variable, local] as const])),
)

/** The settings and authorities of a server, which follow from its options. */
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
    authorities,
  }
}

/** `host:port` under which clients reach the server. */
const serverAddress = ({ host, port }: StartOptions): string => authority(reachableHost(host), port)

/**
 * Configures workerd for its next start.
 * @param proxy what listens in front of it
 * @param modules the Worker's
 * @throws LauncherError if the certificate or one of the operator's files cannot be used
 */
export async function configure(
  directory: DataDirectory,
  options: StartOptions,
  proxy: ProxyKind,
  modules: ListSegment,
): Promise<void> {
  const certificate = await servingCertificate(directory, options)
  const { settings, authorities } = await serverSettings(directory, options, certificate)
  const access = {
    server: `https://${serverAddress(options)}`,
    authority: certificate.authority,
    token: adminToken(directory),
  }
  for (const path of new Set([directory.kubeconfig, options.kubeconfig ?? directory.kubeconfig])) writeKubeconfig(path, access)
  const listen = listenOf(certificate, directory, options, proxy)
  const process = processDirectory(directory, options)
  writeWorkerdConfig(directory, { listen, settings, authorities, process, modules, headerLines: headerLinesSocket(directory) })
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

function listenOf(certificate: ServingCertificate, directory: DataDirectory, { host }: StartOptions, proxy: ProxyKind): Listen {
  const path = workerdSocket(directory)
  if (proxy === 'tls') return { at: 'http socket', path, header: identityHeader(directory) }
  return { at: 'https socket', path, clientAddress: loopbackAddress(host), certificate }
}

/** The Worker's settings that come from options, by the names of docs/configuration.md. */
function settingsOf({ files, settings }: StartOptions): Readonly<Record<string, string>> {
  return {
    ...settings,
    ...(files.clientCertificateAuthorities !== undefined && { CLIENT_CERTIFICATES: 'launcher' }),
    ...(files.auditPolicy !== undefined && { AUDIT_POLICY: auditPolicy(files.auditPolicy) }),
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

/** The Worker's modules with which workerd was configured: a later build does not change a running server when it is configured again. */
export const configuredModules = (directory: DataDirectory): ListSegment =>
  listSegmentOf(readFileSync(workerdConfigFile(directory)))
