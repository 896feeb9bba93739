import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { enabledAdmissionPlugins } from '../config/admission/plugin-names.ts'
import { enabledControllers } from '../config/controllers.ts'
import { flags } from '../config/flags.ts'
import { parseServiceRoutes } from '../config/service-routes.ts'
import type { Rotation } from './audit-file.ts'
import type { Option, Values } from './command-line.ts'
import { readFeatureGates } from './feature-gates.ts'
import { LauncherError, reasonOf } from './launcher-error.ts'
import { operationsOptions, operationsParsers, readShutdownDelay } from './operations-options.ts'
import { localCacheMegabytes } from './workerd-config.ts'

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
  /** The authorities that caBundles of webhooks may name; undefined if these are only the ones that everybody trusts. */
  readonly webhookCa: string | undefined
  /** The authorities whose clients' certificates are accepted; undefined if clients are not asked for any. */
  readonly clientCa: string | undefined
  /** The operator's own certificate for other API servers; undefined if one is made. */
  readonly proxyClient: { readonly certificate: string; readonly key: string } | undefined
  /** The authorities of that certificate, which are told to those servers. */
  readonly requestHeaderCa: string | undefined
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

/** The process that listens in front of workerd, if there is one. */
export type ProxyKind = 'tls' | 'tcp' | 'none'

const defaultDataDirectory = '.edgeplane'
const defaultPort = 6443

/** The options of `edgeplane start`, in the order of its help. */
export const startOptions: readonly Option[] = [
  { name: 'port', value: 'PORT', help: [`port to listen on, 0 for any free one (default ${defaultPort})`] },
  { name: 'host', value: 'HOST', help: ['address or name to listen on (default 127.0.0.1)'] },
  { name: 'data-dir', value: 'DIR', help: [`where everything is kept (default ${defaultDataDirectory})`] },
  { name: 'ephemeral', help: ['keep everything in a temporary directory, in memory if there is room, and remove it at exit'] },
  {
    name: 'testing',
    help: ['lets tests make clusters, move their clocks, inject faults and read requests (see docs/testing.md)'],
  },
  { name: 'kubeconfig', value: 'FILE', help: ['where to write the kubeconfig (default DIR/kubeconfig)'] },
  {
    name: 'tls-cert',
    value: 'FILE',
    help: [
      'your own certificate chain, PEM (default: one is made);',
      'if its last certificate is self-signed, clients are told to trust that',
    ],
  },
  { name: 'tls-key', value: 'FILE', help: ['the private key of --tls-cert, PEM'] },
  {
    name: 'webhook-ca-file',
    value: 'FILE',
    help: ['authorities of webhooks that speak only TLS 1.2, PEM; others are trusted by their caBundle'],
  },
  {
    name: 'client-ca-file',
    value: 'FILE',
    help: [
      'the authorities whose certificates name clients, PEM: CN is the user, each O a group',
      '(default: no client is asked for one)',
    ],
  },
  {
    name: 'proxy-client-cert-file',
    value: 'FILE',
    help: ['the certificate that proves to other API servers that requests come from here, PEM (default: one is made)'],
  },
  { name: 'proxy-client-key-file', value: 'FILE', help: ['the private key of --proxy-client-cert-file, PEM'] },
  {
    name: 'requestheader-client-ca-file',
    value: 'FILE',
    help: ['the authorities of that certificate, as those servers are told, PEM'],
  },
  {
    name: 'requestheader-allowed-names',
    value: 'LIST',
    help: ['the common names that such a certificate may have, as those servers are told (default: any)'],
  },
  { name: 'audit-policy-file', value: 'FILE', help: ['which requests are recorded: a Policy of audit.k8s.io/v1'] },
  {
    name: 'audit-log-path',
    value: 'FILE',
    help: ['where to, one line of JSON for each event (default -, the standard output)'],
  },
  { name: 'audit-log-maxsize', value: 'MEGABYTES', help: ['a new file begins at this size (default: never)'] },
  { name: 'audit-log-maxbackup', value: 'N', help: ['how many earlier files are kept (default: all)'] },
  { name: 'audit-log-maxage', value: 'DAYS', help: ['how long earlier files are kept (default: for ever)'] },
  {
    name: 'cors-allowed-origins',
    value: 'LIST',
    help: ['regular expressions of the origins from which browsers may ask, separated by commas'],
  },
  {
    name: 'strict-transport-security-directives',
    value: 'LIST',
    help: ['directives of that header, separated by commas'],
  },
  {
    name: 'service-routes',
    value: 'LIST',
    help: ['servers of the Services of webhooks and APIServices, separated by commas: NAMESPACE/NAME:PORT=https://HOST:PORT'],
  },
  {
    name: 'placement',
    value: 'PLACEMENT',
    help: [
      'the Durable Objects of a new cluster: `collections`, one for each collection (default),',
      'or `one-object`, one for all',
    ],
  },
  {
    name: 'cluster-domain',
    value: 'DOMAIN',
    help: ['a domain whose names all lead here: the cluster NAME answers at NAME.DOMAIN, too'],
  },
  {
    name: 'cluster-owner-limits',
    value: 'JSON',
    help: ['what those may have who make clusters and are no administrators, such as {"clusters":3,"expiry":"168h"}'],
  },
  { name: 'public-page', value: 'STATE', help: ['`enabled`: browsers get a page at / that says what this is'] },
  {
    name: 'controllers',
    value: 'LIST',
    help: [
      'which controllers run, as kube-controller-manager reads it (default *):',
      '*,-garbage-collector-controller leaves that one to another program',
    ],
  },
  {
    name: 'feature-gates',
    value: 'LIST',
    help: ['features of kube-apiserver 1.36 that are on or off: NAME=true,NAME=false'],
  },
  {
    name: 'watches',
    value: 'KIND',
    help: ['how events reach clients: streams (default), or sockets as on Cloudflare'],
  },
  { name: 'max-requests-inflight', value: 'N', help: ['requests that run at once, 0 for no limit (default 600)'] },
  { name: 'user-rate', value: 'RATE', help: ['requests a second of one user, or RATE:BURST (default: no limit)'] },
  { name: 'address-rate', value: 'RATE', help: ['the same of one address (default: no limit)'] },
  {
    name: 'cache-megabytes',
    value: 'N',
    help: [`memory of all caches together, 4 to 4096 (default ${localCacheMegabytes})`],
  },
  {
    name: 'authentication-config',
    value: 'FILE',
    help: ['issuers of OpenID Connect tokens, and who may be anonymous:', 'an AuthenticationConfiguration, YAML or JSON'],
  },
  { name: 'static-tokens', value: 'FILE', help: ['further bearer tokens and their holders (see docs/security.md)'] },
  {
    name: 'authentication-token-webhook-config-file',
    value: 'FILE',
    help: ['a webhook that knows further tokens: a kubeconfig'],
  },
  {
    name: 'authentication-token-webhook-cache-ttl',
    value: 'DURATION',
    help: ['how long its answers are repeated (default 2m)'],
  },
  {
    name: 'authorization-config',
    value: 'FILE',
    help: ['webhooks that decide beside roles and bindings: an AuthorizationConfiguration'],
  },
  {
    name: 'enable-admission-plugins',
    value: 'LIST',
    many: true,
    help: ['admission plugins of kube-apiserver 1.36 that are on, beside its defaults'],
  },
  {
    name: 'disable-admission-plugins',
    value: 'LIST',
    many: true,
    help: ['admission plugins of kube-apiserver 1.36 that are off'],
  },
  {
    name: 'admission-control-config-file',
    value: 'FILE',
    help: ['the configurations of admission plugins: an AdmissionConfiguration'],
  },
  {
    name: 'default-not-ready-toleration-seconds',
    value: 'N',
    help: ['how long Pods tolerate such a node unless they say so themselves (default 300)'],
  },
  {
    name: 'default-unreachable-toleration-seconds',
    value: 'N',
    help: ['how long Pods tolerate such a node unless they say so themselves (default 300)'],
  },
  ...operationsOptions,
]

/** Reads the options of `edgeplane start`; relative paths are taken from `directory`. @throws LauncherError for a bad value */
export function readStartOptions(values: Values, directory: string): StartOptions {
  if (values.has('ephemeral') && values.text('data-dir') !== undefined) {
    throw new LauncherError(
      '--ephemeral and --data-dir exclude each other: an ephemeral server makes and removes its own directory.',
    )
  }
  const certificate = path(values.text('tls-cert'), directory, '--tls-cert')
  const key = path(values.text('tls-key'), directory, '--tls-key')
  if ((certificate === undefined) !== (key === undefined)) {
    throw new LauncherError('--tls-cert and --tls-key belong together: give both or neither.')
  }
  const proxyCertificate = path(values.text('proxy-client-cert-file'), directory, '--proxy-client-cert-file')
  const proxyKey = path(values.text('proxy-client-key-file'), directory, '--proxy-client-key-file')
  if ((proxyCertificate === undefined) !== (proxyKey === undefined)) {
    throw new LauncherError('--proxy-client-cert-file and --proxy-client-key-file belong together: give both or neither.')
  }
  return {
    port: port(values.text('port')),
    host: host(values.text('host')),
    dataDirectory: values.has('ephemeral')
      ? undefined
      : (path(values.text('data-dir'), directory, '--data-dir') ?? resolve(directory, defaultDataDirectory)),
    kubeconfig: path(values.text('kubeconfig'), directory, '--kubeconfig'),
    tls: certificate !== undefined && key !== undefined ? { certificate, key } : undefined,
    proxyClient:
      proxyCertificate !== undefined && proxyKey !== undefined ? { certificate: proxyCertificate, key: proxyKey } : undefined,
    audit: audit(values, directory),
    shutdownDelay: readShutdownDelay(values.text('shutdown-delay-duration') ?? '0s'),
    processMetrics: values.has('process-metrics'),
    settings: settings(values),
    ...files(values, directory),
  }
}

/** Options that name one file each, with their names in StartOptions. */
export const fileOptions = {
  'client-ca-file': 'clientCa',
  'requestheader-client-ca-file': 'requestHeaderCa',
  'webhook-ca-file': 'webhookCa',
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
    webhookCa: of('webhook-ca-file'),
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
    found[name] = option === 'feature-gates' ? readFeatureGates(value) : value
  }
  // With a webhook, events are written to a log only if one is named.
  if (values.has('audit-webhook-config-file') && values.has('audit-log-path')) found.AUDIT_LOG = 'console'
  // Many clusters with few objects each.
  if (values.has('testing')) Object.assign(found, { TESTING: 'enabled', PLACEMENT: found.PLACEMENT ?? 'one-object' })
  checkAdmissionPlugins(found)
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
  'service-routes': parsing('service-routes', parseServiceRoutes),
  ...Object.fromEntries(Object.entries(operationsParsers).map(([option, parse]) => [option, parsing(option, parse)])),
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
  if (value === 'tls' || value === 'tcp' || value === undefined || value === 'none') return value ?? 'none'
  throw new LauncherError(`--proxy must be tls, tcp or none, not "${value}".`)
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
  const { port, host, dataDirectory, kubeconfig, tls, proxyClient, audit, settings } = options
  const args = ['--port', String(port), '--host', host, '--data-dir', dataDirectory]
  if (kubeconfig !== undefined) args.push('--kubeconfig', kubeconfig)
  if (tls !== undefined) args.push('--tls-cert', tls.certificate, '--tls-key', tls.key)
  if (proxyClient !== undefined) {
    args.push('--proxy-client-cert-file', proxyClient.certificate, '--proxy-client-key-file', proxyClient.key)
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
  return args
}
