/** The meaning of kube-apiserver's flags: the table of those that change something here, and the options that follow from them. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type EmulationTexts, readEmulation } from '../../config/emulation.ts'
import { writePrivateFile } from '../data-directory.ts'
import { readFeatureGates } from '../feature-gates.ts'
import { LauncherError, reasonOf } from '../launcher-error.ts'
import type { StartOptions } from '../options.ts'
import { type FlagValues, isOn, lastOf } from './flags.ts'
import { serviceAccountKeys } from './service-account-keys.ts'

/** Flags that become a setting of docs/configuration.md, with all their values as one list. */
const listFlags: Readonly<Record<string, string>> = {
  'admission-control': 'ENABLE_ADMISSION_PLUGINS',
  'enable-admission-plugins': 'ENABLE_ADMISSION_PLUGINS',
  'disable-admission-plugins': 'DISABLE_ADMISSION_PLUGINS',
  'cors-allowed-origins': 'CORS_ALLOWED_ORIGINS',
  'strict-transport-security-directives': 'STRICT_TRANSPORT_SECURITY',
  'emulated-version': 'EMULATED_RELEASE',
  'min-compatibility-version': 'MIN_COMPATIBILITY_VERSION',
  'runtime-config': 'RUNTIME_CONFIG',
}

/** Flags that become a setting with their last value. */
const valueFlags: Readonly<Record<string, string>> = {
  'authentication-token-webhook-cache-ttl': 'AUTHENTICATION_TOKEN_WEBHOOK_CACHE_TTL',
  'emulation-forward-compatible': 'EMULATION_FORWARD_COMPATIBLE',
  'runtime-config-emulation-forward-compatible': 'RUNTIME_CONFIG_EMULATION_FORWARD_COMPATIBLE',
  'default-not-ready-toleration-seconds': 'DEFAULT_NOT_READY_TOLERATION_SECONDS',
  'default-unreachable-toleration-seconds': 'DEFAULT_UNREACHABLE_TOLERATION_SECONDS',
}

/** Flags that name files of StartOptions. */
const fileFlags = {
  clientCertificateAuthorities: 'client-ca-file',
  authenticationConfiguration: 'authentication-config',
  authenticationTokenWebhook: 'authentication-token-webhook-config-file',
  authorizationConfiguration: 'authorization-config',
  admissionConfiguration: 'admission-control-config-file',
  auditWebhook: 'audit-webhook-config-file',
} as const

/** Flags by which kube-apiserver is the front proxy of other API servers. Their files are not used: a certificate is made. */
const frontProxyFlags = ['proxy-client-cert-file', 'requestheader-client-ca-file'] as const

/** The modes of authorization that RBAC stands for. Another one would be more, or less, than what the operator asked for. */
const supportedModes: ReadonlySet<string> = new Set(['RBAC', 'Node'])

/** kube-apiserver runs none of kube-controller-manager's controllers, unless a test wants some. */
const noControllers = '-namespace-controller'

/** The addresses at which kube-apiserver listens if no flag says otherwise. */
const defaults = { host: '0.0.0.0', port: 6443, certificates: '/var/run/kubernetes' }

/**
 * Checks the flags that kube-apiserver requires.
 * @throws LauncherError with all that is missing, as kube-apiserver reports it
 */
export function checkFlags(values: FlagValues): void {
  const port = Number(lastOf(values, 'secure-port') ?? defaults.port)
  const modes = listOf(values, 'authorization-mode')
  const missing = [
    lastOf(values, 'etcd-servers') === undefined && '--etcd-servers must be specified',
    !(port >= 1 && port <= 65535) &&
      `--secure-port ${port} must be between 1 and 65535, inclusive. It cannot be turned off with 0`,
    lastOf(values, 'service-account-issuer') === undefined && 'service-account-issuer is a required flag',
    lastOf(values, 'service-account-key-file') === undefined &&
      'either `--service-account-key-file` or `--service-account-signing-endpoint` must be set',
    lastOf(values, 'service-account-signing-key-file') === undefined &&
      '--service-account-signing-key-file and --service-account-issuer are required flags',
  ].filter((text) => typeof text === 'string')
  if (missing.length > 0) throw new LauncherError(missing.length === 1 ? (missing[0] ?? '') : `[${missing.join(', ')}]`)
  if (values.has('authorization-config')) return
  const other = modes.length === 0 ? 'AlwaysAllow' : modes.find((mode) => !supportedModes.has(mode))
  if (other !== undefined)
    throw new LauncherError(
      `--authorization-mode: edgeplane has the modes RBAC and Node, and webhooks by --authorization-config, not ${other}`,
    )
}

const listOf = (values: FlagValues, name: string): readonly string[] =>
  (values.get(name) ?? []).flatMap((value) => value.split(',')).filter((one) => one !== '')

/**
 * Gives the options of `edgeplane start` that the flags stand for.
 * @param run a directory of this server alone, for files
 * @param controllers the enabled controllers; '' for those of kube-apiserver
 * @throws LauncherError for a file or a value that cannot be used
 */
export function optionsOf(values: FlagValues, run: string, controllers: string): StartOptions {
  const file = (flag: string): string | undefined => {
    const value = lastOf(values, flag)
    return value === undefined ? undefined : resolve(value)
  }
  const audit = auditOf(values)
  const files = {
    authenticationConfiguration: anonymousConfig(values, run),
    staticTokens: staticTokens(file('token-auth-file'), run),
    auditPolicy: audit && file('audit-policy-file'),
    ...Object.fromEntries(
      Object.entries(fileFlags).flatMap(([key, flag]) => (lastOf(values, flag) === undefined ? [] : [[key, file(flag)]])),
    ),
  }
  return {
    host: lastOf(values, 'bind-address') ?? defaults.host,
    port: Number(lastOf(values, 'secure-port') ?? defaults.port),
    dataDirectory: undefined,
    kubeconfig: undefined,
    tls: servingFiles(values),
    // As kube-apiserver, this is the front proxy of other API servers only if a flag says so: making its certificate takes long.
    proxyClient: frontProxyFlags.some((flag) => values.has(flag)) ? undefined : 'none',
    kubeletClient: undefined,
    maxConnections: undefined,
    spdy: true,
    audit,
    shutdownDelay: 0,
    processMetrics: false,
    settings: settingsOf(values, controllers),
    files: Object.fromEntries(Object.entries(files).filter(([, named]) => named !== undefined)),
  }
}

/** The files of the certificate; undefined if one has to be made. */
function servingFiles(values: FlagValues): StartOptions['tls'] {
  const [certificate, key] = [lastOf(values, 'tls-cert-file'), lastOf(values, 'tls-private-key-file')]
  if (certificate !== undefined && key !== undefined) return { certificate: resolve(certificate), key: resolve(key) }
  const directory = certificateDirectory(values)
  const found = { certificate: join(directory, 'apiserver.crt'), key: join(directory, 'apiserver.key') }
  return isReadable(found.certificate) && isReadable(found.key) ? found : undefined
}

/** The directory of --cert-dir. */
export const certificateDirectory = (values: FlagValues): string => resolve(lastOf(values, 'cert-dir') ?? defaults.certificates)

function isReadable(file: string): boolean {
  try {
    readFileSync(file)
    return true
  } catch {
    return false
  }
}

function auditOf(values: FlagValues): StartOptions['audit'] {
  const [policy, log] = [lastOf(values, 'audit-policy-file'), lastOf(values, 'audit-log-path')]
  if (policy === undefined || log === undefined) return undefined
  return { log: log === '-' ? log : resolve(log), rotation: undefined }
}

/** @throws LauncherError in kube-apiserver's words for releases and resources that cannot be served */
function checkEmulation(settings: EmulationTexts & Readonly<Record<string, string>>): void {
  try {
    readEmulation(settings)
  } catch (error) {
    throw new LauncherError(reasonOf(error))
  }
}

function settingsOf(values: FlagValues, controllers: string): Record<string, string> {
  const found: Record<string, string> = { CONTROLLERS: controllers || noControllers }
  for (const [flag, setting] of Object.entries(listFlags)) {
    const list = listOf(values, flag)
    if (list.length > 0) found[setting] = list.join(',')
  }
  for (const [flag, setting] of Object.entries(valueFlags)) {
    const value = lastOf(values, flag)
    if (value !== undefined) found[setting] = value
  }
  checkEmulation(found)
  const gates = listOf(values, 'feature-gates').join(',')
  if (gates !== '') found.FEATURE_GATES = readFeatureGates(gates, found)
  // The second range of a dual-stack cluster is not served.
  const [range] = lastOf(values, 'service-cluster-ip-range')?.split(',') ?? []
  if (range !== undefined) found.SERVICE_CIDR = range
  found.SERVICE_ACCOUNT_ISSUER = values.get('service-account-issuer')?.[0] ?? ''
  found.SERVICE_ACCOUNT_KEYS = serviceAccountKeys(
    lastOf(values, 'service-account-signing-key-file') ?? '',
    values.get('service-account-key-file') ?? [],
  )
  const [reading, writing] = [lastOf(values, 'max-requests-inflight'), lastOf(values, 'max-mutating-requests-inflight')]
  if (reading !== undefined || writing !== undefined)
    found.MAX_REQUESTS_INFLIGHT = String(Number(reading ?? 400) + Number(writing ?? 200))
  return found
}

/** Writes the configuration that --anonymous-auth=false stands for. */
function anonymousConfig(values: FlagValues, run: string): string | undefined {
  if (isOn(values, 'anonymous-auth', true)) return undefined
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    anonymous: { enabled: false },
  }
  return written(join(run, 'authentication.json'), configuration)
}

/** Converts the lines `token,user,uid,"group,group"` of --token-auth-file. */
function staticTokens(file: string | undefined, run: string): string | undefined {
  if (file === undefined) return undefined
  try {
    const lines = readFileSync(file, 'utf8')
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    const tokens = lines.map((line) => {
      const [token = '', user = '', uid = '', groups = ''] = [...line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, text, plain]) => text?.replaceAll('""', '"') ?? plain ?? '',
      )
      return { token, user, uid, groups: groups.split(',').filter((group) => group !== '') }
    })
    return written(join(run, 'tokens.json'), tokens)
  } catch (error) {
    throw new LauncherError(`--token-auth-file: open ${file}: ${reasonOf(error)}`)
  }
}

function written(file: string, value: unknown): string {
  writePrivateFile(file, JSON.stringify(value))
  return file
}
