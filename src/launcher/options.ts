import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { enabledAdmissionPlugins } from '../config/admission/plugin-names.ts'
import { loopback, readClusterEgress } from '../config/cluster-egress.ts'
import { enabledControllers } from '../config/controllers.ts'
import { type EmulationTexts, readEmulation } from '../config/emulation.ts'
import { flags } from '../config/flags.ts'
import { parseServiceRoutes } from '../config/service-routes.ts'
import type { Rotation } from './audit-file.ts'
import type { Values } from './command-line.ts'
import { defaultDataDirectory } from './data-directory.ts'
import { readFeatureGates } from './feature-gates.ts'
import { LauncherError, reasonOf } from './launcher-error.ts'
import { operationsParsers, readShutdownDelay } from './operations-options.ts'
import type { ProxyKind } from './proxy/open-connections.ts'
import { defaultPort, startOptions } from './start-options.ts'

/** The options of `edgeplane start`; all paths are absolute. */
export interface StartOptions {
  /** 0 lets the launcher choose a free port. */
  readonly port: number
  readonly host: string
  /** Undefined if the data directory is a temporary one that is removed at exit. */
  readonly dataDirectory: string | undefined
  readonly kubeconfig: string | undefined
  /** The operator's own certificate, if one was given. */
  readonly tls: { readonly certificate: string; readonly key: string } | undefined
  /** The authorities whose clients' certificates are accepted; undefined if clients are not asked for any. */
  readonly clientCa: string | undefined
  /** How many connections may be open; undefined for as many as there are memory and descriptors for. */
  readonly maxConnections: number | undefined
  /** Whether clients may speak SPDY, for which a TLS proxy is needed. */
  readonly spdy: boolean
  /** The operator's own certificate for other API servers; undefined if one is made, `none` if they are shown none. */
  readonly proxyClient: { readonly certificate: string; readonly key: string } | 'none' | undefined
  /** The authorities of that certificate, which are told to those servers. */
  readonly requestHeaderCa: string | undefined
  /** The operator's own certificate for kubelets, if one was given. */
  readonly kubeletClient: { readonly certificate: string; readonly key: string } | undefined
  /** The authorities of kubelets; undefined if their certificates are not verified. */
  readonly kubeletCa: string | undefined
  /** The audit policy's file, and the log: a file, or `-` for the standard output. */
  readonly audit: { readonly policy: string; readonly log: string; readonly rotation: Rotation | undefined } | undefined
  /** The seconds for which the server goes on after SIGTERM. */
  readonly shutdownDelay: number
  /** Whether the Worker can read the memory and the CPU time of its process. */
  readonly processMetrics: boolean
  /** Settings of docs/configuration.md by their names, for the Worker, as they were written. */
  readonly settings: Readonly<Record<string, string>>
  /** An AuthenticationConfiguration. */
  readonly authenticationConfig: string | undefined
  /** A list of bearer tokens and their holders. */
  readonly staticTokens: string | undefined
  /** An AuthorizationConfiguration. */
  readonly authorizationConfig: string | undefined
  /** The kubeconfig of the webhook that is asked about tokens. */
  readonly tokenWebhook: string | undefined
  /** An AdmissionConfiguration. */
  readonly admissionConfig: string | undefined
  /** The kubeconfig of the webhook that gets audit events. */
  readonly auditWebhook: string | undefined
}

/** Reads the options of `edgeplane start`; relative paths are taken from `directory`. @throws LauncherError for a bad value */
export function readStartOptions(values: Values, directory: string): StartOptions {
  if (values.has('ephemeral') && values.text('data-dir') !== undefined) {
    throw new LauncherError(
      '--ephemeral and --data-dir exclude each other: an ephemeral server makes and removes its own directory.',
    )
  }
  return {
    port: port(values.text('port')),
    host: host(values.text('host')),
    dataDirectory: values.has('ephemeral')
      ? undefined
      : (path(values.text('data-dir'), directory, '--data-dir') ?? resolve(directory, defaultDataDirectory)),
    kubeconfig: path(values.text('kubeconfig'), directory, '--kubeconfig'),
    ...pairs(values, directory),
    maxConnections: maxConnections(values.text('max-connections')),
    spdy: values.has('spdy'),
    audit: audit(values, directory),
    shutdownDelay: readShutdownDelay(values.text('shutdown-delay-duration') ?? '0s'),
    processMetrics: values.has('process-metrics'),
    settings: settings(values),
    ...files(values, directory),
  }
}

/** Options that name a certificate and its key, with their names in StartOptions. */
const pairOptions = {
  tls: ['tls-cert', 'tls-key'],
  proxyClient: ['proxy-client-cert-file', 'proxy-client-key-file'],
  kubeletClient: ['kubelet-client-certificate', 'kubelet-client-key'],
} as const

function pairs(values: Values, directory: string): Pick<StartOptions, keyof typeof pairOptions> {
  const of = (field: keyof typeof pairOptions): StartOptions['tls'] => {
    const [certificateOption, keyOption] = pairOptions[field]
    const certificate = path(values.text(certificateOption), directory, `--${certificateOption}`)
    const key = path(values.text(keyOption), directory, `--${keyOption}`)
    if (certificate !== undefined && key !== undefined) return { certificate, key }
    if (certificate === undefined && key === undefined) return undefined
    throw new LauncherError(`--${certificateOption} and --${keyOption} belong together: give both or neither.`)
  }
  return { tls: of('tls'), proxyClient: of('proxyClient'), kubeletClient: of('kubeletClient') }
}

/** Options that name one file each, with their names in StartOptions. */
export const fileOptions = {
  'client-ca-file': 'clientCa',
  'requestheader-client-ca-file': 'requestHeaderCa',
  'kubelet-certificate-authority': 'kubeletCa',
  'authentication-config': 'authenticationConfig',
  'static-tokens': 'staticTokens',
  'authentication-token-webhook-config-file': 'tokenWebhook',
  'authorization-config': 'authorizationConfig',
  'admission-control-config-file': 'admissionConfig',
  'audit-webhook-config-file': 'auditWebhook',
} as const

type FileOption = keyof typeof fileOptions

function files(values: Values, directory: string): Pick<StartOptions, (typeof fileOptions)[FileOption]> {
  const of = (option: FileOption): string | undefined => path(values.text(option), directory, `--${option}`)
  return {
    clientCa: of('client-ca-file'),
    requestHeaderCa: of('requestheader-client-ca-file'),
    kubeletCa: of('kubelet-certificate-authority'),
    authenticationConfig: of('authentication-config'),
    staticTokens: of('static-tokens'),
    tokenWebhook: of('authentication-token-webhook-config-file'),
    authorizationConfig: of('authorization-config'),
    admissionConfig: of('admission-control-config-file'),
    auditWebhook: of('audit-webhook-config-file'),
  }
}

/** Options that the Worker reads itself, with the names of its settings. */
export const settingOptions: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(flags).map(([option, { setting }]) => [option, setting]),
)

/** The forms of values that can be checked here: with another value the Worker would refuse every request. */
const settingForms: Readonly<Record<string, RegExp>> = {
  placement: /^(?:collections|one-object)$/,
  'cluster-domain': /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/,
  'public-page': /^enabled$/,
  'cluster-finalizer-seconds': /^[1-9]\d{0,6}$/,
  'max-requests-inflight': /^\d{1,9}$/,
  watches: /^(?:streams|sockets)$/,
  'cache-megabytes': /^(?:[4-9]|[1-9]\d{1,2}|[1-3]\d{3}|40[0-8]\d|409[0-6])$/,
  'user-rate': /^(?=.*[1-9])\d+(?:\.\d+)?(?::[1-9]\d*)?$/,
  'authentication-token-webhook-cache-ttl': /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/,
  'default-not-ready-toleration-seconds': /^[+-]?\d{1,15}$/,
  'default-unreachable-toleration-seconds': /^[+-]?\d{1,15}$/,
  'address-rate': /^(?=.*[1-9])\d+(?:\.\d+)?(?::[1-9]\d*)?$/,
}

function settings(values: Values): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [option, name] of Object.entries(settingOptions)) {
    const value =
      values.text(option) ??
      values
        .list(option)
        ?.filter((one) => one !== '')
        .join(',')
    if (value === undefined) continue
    if (settingForms[option]?.test(value) === false) throw new LauncherError(`--${option} cannot be "${value}".`)
    settingParsers[option]?.(value)
    found[name] = value
  }
  // With a webhook, events are written to a log only if one is named.
  if (values.has('audit-webhook-config-file') && values.has('audit-log-path')) found.AUDIT_LOG = 'console'
  // Many clusters with few objects each.
  if (values.has('testing')) Object.assign(found, { TESTING: 'enabled', PLACEMENT: found.PLACEMENT ?? 'one-object' })
  // Webhooks under test are on this machine.
  if (values.has('testing') || values.has('ephemeral')) found.CLUSTER_EGRESS ??= loopback
  checkAdmissionPlugins(found)
  checkEmulation(found)
  if (found.FEATURE_GATES !== undefined) found.FEATURE_GATES = readFeatureGates(found.FEATURE_GATES, found)
  return found
}

/** Returns a parser that throws errors of the launcher, which name the option. */
const parsing =
  (option: string, parse: (value: string) => unknown) =>
  (value: string): void => {
    try {
      parse(value)
    } catch (error) {
      throw new LauncherError(`--${option}: ${reasonOf(error)}.`)
    }
  }

/** Parsers of values: with an invalid one the Worker would refuse requests. */
const settingParsers: Readonly<Record<string, (value: string) => void>> = {
  controllers: parsing('controllers', enabledControllers),
  'cluster-egress': parsing('cluster-egress', readClusterEgress),
  'service-routes': parsing('service-routes', parseServiceRoutes),
  ...Object.fromEntries(Object.entries(operationsParsers).map(([option, parse]) => [option, parsing(option, parse)])),
}

/** Refuses an unknown release, and a resource config that does not fit it. */
function checkEmulation(found: EmulationTexts & Readonly<Record<string, string>>): void {
  try {
    readEmulation(found)
  } catch (error) {
    throw new LauncherError(`The API cannot be served: ${reasonOf(error)}.`)
  }
}

function checkAdmissionPlugins({ ENABLE_ADMISSION_PLUGINS = '', DISABLE_ADMISSION_PLUGINS = '' }: Record<string, string>): void {
  try {
    enabledAdmissionPlugins(ENABLE_ADMISSION_PLUGINS, DISABLE_ADMISSION_PLUGINS)
  } catch (error) {
    throw new LauncherError(`The admission plugins cannot be used: ${reasonOf(error)}.`)
  }
}

function audit(values: Values, directory: string): StartOptions['audit'] {
  const log = values.text('audit-log-path')
  const policy = path(values.text('audit-policy-file'), directory, '--audit-policy-file')
  const rotates = rotation(values)
  if (policy === undefined) {
    if (values.has('audit-webhook-config-file')) {
      throw new LauncherError('--audit-webhook-config-file needs --audit-policy-file: without a policy nothing is recorded.')
    }
    if (log === undefined && rotates === undefined) return undefined
    throw new LauncherError('--audit-log-… needs --audit-policy-file: without a policy nothing is recorded.')
  }
  const file = log === '-' ? log : (path(log, directory, '--audit-log-path') ?? '-')
  if (file === '-' && rotates !== undefined) throw new LauncherError('--audit-log-maxsize needs --audit-log-path, a file.')
  return { policy, log: file, rotation: rotates }
}

const mebibyte = 1024 * 1024

function rotation(values: Values): Rotation | undefined {
  const of = (option: 'audit-log-maxsize' | 'audit-log-maxbackup' | 'audit-log-maxage'): number => {
    const value = values.text(option) ?? '0'
    if (!/^\d{1,6}$/.test(value)) throw new LauncherError(`--${option} must be a whole number, not "${value}".`)
    return Number(value)
  }
  const [megabytes, backups, days] = [of('audit-log-maxsize'), of('audit-log-maxbackup'), of('audit-log-maxage')]
  if (megabytes > 0) return { bytes: megabytes * mebibyte, backups, days }
  if (backups + days === 0) return undefined
  throw new LauncherError(
    '--audit-log-maxbackup and --audit-log-maxage need --audit-log-maxsize: without it a new file never begins.',
  )
}

/** Reads the option of the supervisor's commands. @throws LauncherError for another kind */
export function proxyKind(value: string | undefined): ProxyKind {
  if (value === 'tls' || value === 'tcp') return value
  throw new LauncherError(`--proxy must be tls or tcp, not "${value}".`)
}

function maxConnections(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (!/^[1-9]\d{0,6}$/.test(value)) {
    throw new LauncherError(`--max-connections must be a number from 1 to 9999999, not "${value}".`)
  }
  return Number(value)
}

function port(value: string | undefined): number {
  if (value === undefined) return defaultPort
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65535) {
    throw new LauncherError(`--port must be a number from 0 to 65535, not "${value}".`)
  }
  return Number(value)
}

function host(value: string | undefined): string {
  if (value === undefined) return '127.0.0.1'
  const bare = value.replace(/^\[(.*)\]$/, '$1')
  const name = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/
  if (isIP(bare) === 0 && !name.test(bare)) throw new LauncherError(`--host must be an address or a host name, not "${value}".`)
  return bare
}

function path(value: string | undefined, directory: string, option: string): string | undefined {
  if (value === undefined) return undefined
  if (value === '') throw new LauncherError(`${option} must not be empty.`)
  return resolve(directory, value)
}

/** Writes options as arguments, for a further run of this program. */
export function optionArguments(options: StartOptions & { readonly dataDirectory: string }): string[] {
  const { port, host, dataDirectory, kubeconfig, audit, settings } = options
  const args = ['--port', String(port), '--host', host, '--data-dir', dataDirectory]
  if (kubeconfig !== undefined) args.push('--kubeconfig', kubeconfig)
  for (const field of ['tls', 'proxyClient', 'kubeletClient'] as const) {
    const [certificateOption, keyOption] = pairOptions[field]
    const pair = options[field]
    if (pair !== undefined && pair !== 'none') args.push(`--${certificateOption}`, pair.certificate, `--${keyOption}`, pair.key)
  }
  for (const [option, field] of Object.entries(fileOptions)) {
    const file = options[field]
    if (file !== undefined) args.push(`--${option}`, file)
  }
  if (audit !== undefined) args.push('--audit-policy-file', audit.policy)
  if (audit !== undefined && (options.auditWebhook === undefined || settings.AUDIT_LOG !== undefined)) {
    args.push('--audit-log-path', audit.log)
  }
  if (audit?.rotation !== undefined) {
    const { bytes, backups, days } = audit.rotation
    args.push('--audit-log-maxsize', String(bytes / mebibyte))
    args.push('--audit-log-maxbackup', String(backups), '--audit-log-maxage', String(days))
  }
  const deprecated = new Set(startOptions.filter((option) => option.deprecated !== undefined).map(({ name }) => name))
  for (const [option, name] of Object.entries(settingOptions)) {
    const value = deprecated.has(option) ? undefined : settings[name]
    if (value !== undefined) args.push(`--${option}=${value}`)
  }
  if (settings.TESTING !== undefined) args.push('--testing')
  if (options.shutdownDelay > 0) args.push('--shutdown-delay-duration', `${options.shutdownDelay}s`)
  if (options.processMetrics) args.push('--process-metrics')
  if (options.maxConnections !== undefined) args.push('--max-connections', String(options.maxConnections))
  if (options.spdy) args.push('--spdy')
  return args
}
