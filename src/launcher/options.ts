import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { enabledAdmissionPlugins } from '../config/admission/plugin-names.ts'
import { enabledControllers } from '../config/controllers.ts'
import { parseServiceRoutes } from '../config/service-routes.ts'
import type { Rotation } from './audit-file.ts'
import { readFeatureGates } from './feature-gates.ts'
import { LauncherError, reasonOf } from './launcher-error.ts'

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
  /** The audit policy's file, and the log: a file, or `-` for the standard output. */
  readonly audit: { readonly policy: string; readonly log: string; readonly rotation: Rotation | undefined } | undefined
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
}

/** The process that listens in front of workerd, if there is one. */
export type ProxyKind = 'tls' | 'tcp' | 'none'

/** A parsed command line. Only the supervisor uses `renew`, `proxy` and `audit-log`. */
export type Command =
  | { readonly name: 'start' | 'audit-log'; readonly options: StartOptions }
  | { readonly name: 'renew' | 'proxy'; readonly options: StartOptions; readonly proxy: ProxyKind }
  | { readonly name: 'kubeconfig'; readonly dataDirectory: string }
  | { readonly name: 'help' }
  | { readonly name: 'version' }

const defaultDataDirectory = '.edgeplane'
const defaultPort = 6443

/** The text of `edgeplane --help`. */
export const usage = `Usage:
  edgeplane start [options]        start a Kubernetes API server on this machine
  edgeplane kubeconfig [options]   print the kubeconfig of a data directory
  edgeplane --help | --version

Options of start:
  --port PORT          port to listen on, 0 for any free one (default ${defaultPort})
  --host HOST          address or name to listen on (default 127.0.0.1)
  --data-dir DIR       where everything is kept (default ${defaultDataDirectory})
  --ephemeral          keep everything in a temporary directory and remove it at exit
  --kubeconfig FILE    where to write the kubeconfig (default DIR/kubeconfig)
  --tls-cert FILE      your own certificate chain, PEM (default: one is made);
                       if its last certificate is self-signed, clients are told to trust that
  --tls-key FILE       the private key of --tls-cert, PEM
  --webhook-ca-file FILE
                       authorities of webhooks that speak only TLS 1.2, PEM; others are trusted by their caBundle
  --client-ca-file FILE
                       the authorities whose certificates name clients, PEM: CN is the user, each O a group
                       (default: no client is asked for one)
  --audit-policy-file FILE
                       which requests are recorded: a Policy of audit.k8s.io/v1
  --audit-log-path FILE
                       where to, one line of JSON for each event (default -, the standard output)
  --audit-log-maxsize MEGABYTES
                       a new file begins at this size (default: never)
  --audit-log-maxbackup N, --audit-log-maxage DAYS
                       how many earlier files are kept, and how long (default: all)
  --cors-allowed-origins LIST
                       regular expressions of the origins from which browsers may ask, separated by commas
  --strict-transport-security-directives LIST
                       directives of that header, separated by commas
  --service-routes LIST
                       servers of the Services of webhooks, separated by commas: NAMESPACE/NAME:PORT=https://HOST:PORT
  --controllers LIST   which controllers run, as kube-controller-manager reads it (default *):
                       *,-garbage-collector-controller leaves that one to another program
  --feature-gates LIST features of kube-apiserver 1.36 that are on or off: NAME=true,NAME=false
  --max-requests-inflight N
                       requests that run at once, 0 for no limit (default 600)
  --user-rate RATE     requests a second of one user, or RATE:BURST (default: no limit)
  --address-rate RATE  the same of one address (default: no limit)
  --authentication-config FILE
                       issuers of OpenID Connect tokens, and who may be anonymous:
                       an AuthenticationConfiguration, YAML or JSON
  --static-tokens FILE further bearer tokens and their holders (see docs/security.md)
  --authentication-token-webhook-config-file FILE
                       a webhook that knows further tokens: a kubeconfig
  --authentication-token-webhook-cache-ttl DURATION
                       how long its answers are repeated (default 2m)
  --authorization-config FILE
                       webhooks that decide beside roles and bindings: an AuthorizationConfiguration
  --enable-admission-plugins LIST, --disable-admission-plugins LIST
                       admission plugins of kube-apiserver 1.36 that are on or off, beside its defaults
  --admission-control-config-file FILE
                       the configurations of admission plugins: an AdmissionConfiguration
  --default-not-ready-toleration-seconds N, --default-unreachable-toleration-seconds N
                       how long Pods tolerate such a node unless they say so themselves (default 300)

Options of kubeconfig:
  --data-dir DIR       the server's data directory (default ${defaultDataDirectory})
`

const text = { type: 'string' } as const
const list = { type: 'string', multiple: true } as const
const flag = { type: 'boolean' } as const
const common = { help: { type: 'boolean', short: 'h' }, version: flag } as const
const startArguments = {
  ...common,
  port: text,
  host: text,
  'data-dir': text,
  ephemeral: flag,
  kubeconfig: text,
  'tls-cert': text,
  'tls-key': text,
  'webhook-ca-file': text,
  'client-ca-file': text,
  'audit-policy-file': text,
  'audit-log-path': text,
  'audit-log-maxsize': text,
  'audit-log-maxbackup': text,
  'audit-log-maxage': text,
  'cors-allowed-origins': text,
  'strict-transport-security-directives': text,
  'service-routes': text,
  controllers: text,
  'feature-gates': text,
  'max-requests-inflight': text,
  'user-rate': text,
  'address-rate': text,
  'authentication-config': text,
  'static-tokens': text,
  'authentication-token-webhook-config-file': text,
  'authentication-token-webhook-cache-ttl': text,
  'authorization-config': text,
  'enable-admission-plugins': list,
  'disable-admission-plugins': list,
  'admission-control-config-file': text,
  'default-not-ready-toleration-seconds': text,
  'default-unreachable-toleration-seconds': text,
} as const
const proxyArguments = { ...startArguments, proxy: text } as const
const kubeconfigArguments = { ...common, 'data-dir': text } as const

/**
 * Reads the command line (without node and the script). Relative paths are taken from `directory`.
 * @throws LauncherError for an unknown command or option and for a bad value
 */
export function parseCommandLine(argv: readonly string[], directory: string): Command {
  const [first, ...rest] = argv
  switch (first) {
    case undefined:
      throw new LauncherError('A command is missing: try `edgeplane start`, or `edgeplane --help` for everything else.')
    case 'start':
    case 'audit-log': {
      const values = parse(rest, startArguments)
      return helpOrVersion(values) ?? { name: first, options: startOptions(values, directory) }
    }
    case 'renew':
    case 'proxy': {
      const { proxy, ...values } = parse(rest, proxyArguments)
      return helpOrVersion(values) ?? { name: first, options: startOptions(values, directory), proxy: proxyKind(proxy) }
    }
    case 'kubeconfig': {
      const values = parse(rest, kubeconfigArguments)
      return (
        helpOrVersion(values) ?? {
          name: 'kubeconfig',
          dataDirectory: path(values['data-dir'], directory, '--data-dir') ?? resolve(directory, defaultDataDirectory),
        }
      )
    }
    default: {
      if (!first.startsWith('-')) throw new LauncherError(`There is no command "${first}": see \`edgeplane --help\`.`)
      const command = helpOrVersion(parse(argv, common))
      if (command === undefined) throw new LauncherError('A command is missing: see `edgeplane --help`.')
      return command
    }
  }
}

type ArgumentType = { readonly type: 'string' | 'boolean'; readonly short?: string; readonly multiple?: boolean }
type ArgumentTypes = Readonly<Record<string, ArgumentType>>

function parse<T extends ArgumentTypes>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values
  } catch (error) {
    const sentence = reasonOf(error).split('\n', 1)[0]?.split('. ', 1)[0] ?? ''
    throw new LauncherError(`${sentence.replace(/\.$/, '')}: see \`edgeplane --help\`.`)
  }
}

function helpOrVersion(values: { help?: boolean | undefined; version?: boolean | undefined }): Command | undefined {
  if (values.help) return { name: 'help' }
  return values.version ? { name: 'version' } : undefined
}

type StartValues = {
  readonly [K in Exclude<keyof typeof startArguments, keyof typeof common | 'ephemeral' | ListOption>]?: string | undefined
} & { readonly [K in ListOption]?: readonly string[] | undefined } & { readonly ephemeral?: boolean | undefined }

/** Options that may be given several times; each value is a list separated by commas. */
type ListOption = 'enable-admission-plugins' | 'disable-admission-plugins'

function startOptions(values: StartValues, directory: string): StartOptions {
  if (values.ephemeral && values['data-dir'] !== undefined) {
    throw new LauncherError(
      '--ephemeral and --data-dir exclude each other: an ephemeral server makes and removes its own directory.',
    )
  }
  const certificate = path(values['tls-cert'], directory, '--tls-cert')
  const key = path(values['tls-key'], directory, '--tls-key')
  if ((certificate === undefined) !== (key === undefined)) {
    throw new LauncherError('--tls-cert and --tls-key belong together: give both or neither.')
  }
  return {
    port: port(values.port),
    host: host(values.host),
    dataDirectory: values.ephemeral
      ? undefined
      : (path(values['data-dir'], directory, '--data-dir') ?? resolve(directory, defaultDataDirectory)),
    kubeconfig: path(values.kubeconfig, directory, '--kubeconfig'),
    tls: certificate !== undefined && key !== undefined ? { certificate, key } : undefined,
    audit: audit(values, directory),
    settings: settings(values),
    ...files(values, directory),
  }
}

/** Options that name one file each, with their names in StartOptions. */
export const fileOptions = {
  'client-ca-file': 'clientCa',
  'webhook-ca-file': 'webhookCa',
  'authentication-config': 'authenticationConfig',
  'static-tokens': 'staticTokens',
  'authentication-token-webhook-config-file': 'tokenWebhook',
  'authorization-config': 'authorizationConfig',
  'admission-control-config-file': 'admissionConfig',
} as const

type FileOption = keyof typeof fileOptions

function files(values: StartValues, directory: string): Pick<StartOptions, (typeof fileOptions)[FileOption]> {
  const of = (option: FileOption): string | undefined => path(values[option], directory, `--${option}`)
  return {
    clientCa: of('client-ca-file'),
    webhookCa: of('webhook-ca-file'),
    authenticationConfig: of('authentication-config'),
    staticTokens: of('static-tokens'),
    tokenWebhook: of('authentication-token-webhook-config-file'),
    authorizationConfig: of('authorization-config'),
    admissionConfig: of('admission-control-config-file'),
  }
}

/** Options that the Worker reads itself, with the names of its settings. */
export const settingOptions = {
  'cors-allowed-origins': 'CORS_ALLOWED_ORIGINS',
  'strict-transport-security-directives': 'STRICT_TRANSPORT_SECURITY',
  controllers: 'CONTROLLERS',
  'service-routes': 'SERVICE_ROUTES',
  'feature-gates': 'FEATURE_GATES',
  'max-requests-inflight': 'MAX_REQUESTS_INFLIGHT',
  'user-rate': 'USER_RATE',
  'address-rate': 'ADDRESS_RATE',
  'authentication-token-webhook-cache-ttl': 'AUTHENTICATION_TOKEN_WEBHOOK_CACHE_TTL',
  'enable-admission-plugins': 'ENABLE_ADMISSION_PLUGINS',
  'disable-admission-plugins': 'DISABLE_ADMISSION_PLUGINS',
  'default-not-ready-toleration-seconds': 'DEFAULT_NOT_READY_TOLERATION_SECONDS',
  'default-unreachable-toleration-seconds': 'DEFAULT_UNREACHABLE_TOLERATION_SECONDS',
} as const

/** The forms of values that can be checked here: with another value the Worker would refuse every request. */
const settingForms: Readonly<Record<string, RegExp>> = {
  'max-requests-inflight': /^\d{1,9}$/,
  'user-rate': /^(?=.*[1-9])\d+(?:\.\d+)?(?::[1-9]\d*)?$/,
  'authentication-token-webhook-cache-ttl': /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/,
  'default-not-ready-toleration-seconds': /^[+-]?\d{1,15}$/,
  'default-unreachable-toleration-seconds': /^[+-]?\d{1,15}$/,
  'address-rate': /^(?=.*[1-9])\d+(?:\.\d+)?(?::[1-9]\d*)?$/,
}

type SettingValues = { readonly [K in keyof typeof settingOptions]?: string | readonly string[] | undefined }

function settings(values: SettingValues): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [option, name] of Object.entries(settingOptions)) {
    const given = values[option as keyof typeof settingOptions]
    if (given === undefined) continue
    const value = typeof given === 'string' ? given : given.filter((one) => one !== '').join(',')
    if (settingForms[option]?.test(value) === false) throw new LauncherError(`--${option} cannot be "${value}".`)
    settingParsers[option]?.(value)
    found[name] = option === 'feature-gates' ? readFeatureGates(value) : value
  }
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
}

function checkAdmissionPlugins({ ENABLE_ADMISSION_PLUGINS = '', DISABLE_ADMISSION_PLUGINS = '' }: Record<string, string>): void {
  try {
    enabledAdmissionPlugins(ENABLE_ADMISSION_PLUGINS, DISABLE_ADMISSION_PLUGINS)
  } catch (error) {
    throw new LauncherError(`The admission plugins cannot be used: ${reasonOf(error)}.`)
  }
}

function audit(values: StartValues, directory: string): StartOptions['audit'] {
  const { 'audit-policy-file': policyFile, 'audit-log-path': log } = values
  const policy = path(policyFile, directory, '--audit-policy-file')
  const rotates = rotation(values)
  if (policy === undefined) {
    if (log === undefined && rotates === undefined) return undefined
    throw new LauncherError('--audit-log-… needs --audit-policy-file: without a policy nothing is recorded.')
  }
  const file = log === '-' ? log : (path(log, directory, '--audit-log-path') ?? '-')
  if (file === '-' && rotates !== undefined) throw new LauncherError('--audit-log-maxsize needs --audit-log-path, a file.')
  return { policy, log: file, rotation: rotates }
}

const mebibyte = 1024 * 1024

function rotation(values: StartValues): Rotation | undefined {
  const of = (option: 'audit-log-maxsize' | 'audit-log-maxbackup' | 'audit-log-maxage'): number => {
    const value = values[option] ?? '0'
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

function proxyKind(value: string | undefined): ProxyKind {
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
  const { port, host, dataDirectory, kubeconfig, tls, audit, settings } = options
  const args = ['--port', String(port), '--host', host, '--data-dir', dataDirectory]
  if (kubeconfig !== undefined) args.push('--kubeconfig', kubeconfig)
  if (tls !== undefined) args.push('--tls-cert', tls.certificate, '--tls-key', tls.key)
  for (const [option, field] of Object.entries(fileOptions)) {
    const file = options[field]
    if (file !== undefined) args.push(`--${option}`, file)
  }
  if (audit !== undefined) args.push('--audit-policy-file', audit.policy, '--audit-log-path', audit.log)
  if (audit?.rotation !== undefined) {
    const { bytes, backups, days } = audit.rotation
    args.push('--audit-log-maxsize', String(bytes / mebibyte))
    args.push('--audit-log-maxbackup', String(backups), '--audit-log-maxage', String(days))
  }
  for (const [option, name] of Object.entries(settingOptions)) {
    const value = settings[name]
    if (value !== undefined) args.push(`--${option}=${value}`)
  }
  return args
}
