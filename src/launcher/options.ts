import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { allRows, type FileKey, settingRows, settingTable } from '../config/settings.ts'
import { parseDuration } from '../go/duration.ts'
import type { Rotation } from './audit-file.ts'
import type { Values } from './command-line.ts'
import { LauncherError, reasonOf } from './launcher-error.ts'
import type { ProxyKind } from './proxy/open-connections.ts'
import { settingTexts } from './setting-texts.ts'

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
  /** How many connections may be open; undefined for as many as there are memory and descriptors for. */
  readonly maxConnections: number | undefined
  /** Whether clients may speak SPDY, for which a TLS proxy is needed. */
  readonly spdy: boolean
  /** The operator's own certificate for other API servers; undefined if one is made, `none` if they are shown none. */
  readonly proxyClient: { readonly certificate: string; readonly key: string } | 'none' | undefined
  /** The operator's own certificate for kubelets, if one was given. */
  readonly kubeletClient: { readonly certificate: string; readonly key: string } | undefined
  /** The audit log: a file, or `-` for the standard output; undefined without an audit policy. */
  readonly audit: { readonly log: string; readonly rotation: Rotation | undefined } | undefined
  /** The seconds for which the server goes on after SIGTERM. */
  readonly shutdownDelay: number
  /** Whether the Worker can read the memory and the CPU time of its process. */
  readonly processMetrics: boolean
  /** Settings of docs/configuration.md by their names, for the Worker, as they were written. */
  readonly settings: Readonly<Record<string, string>>
  /** The files that options name, by the keys of the table of settings. */
  readonly files: { readonly [Key in FileKey]?: string }
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
      : (path(values.text('data-dir'), directory, '--data-dir') ?? resolve(directory, settingTable.dataDirectory.default)),
    kubeconfig: path(values.text('kubeconfig'), directory, '--kubeconfig'),
    ...pairs(values, directory),
    maxConnections: maxConnections(values.text('max-connections')),
    spdy: values.has('spdy'),
    audit: audit(values, directory),
    shutdownDelay: shutdownDelay(values.text('shutdown-delay-duration') ?? settingTable.shutdownDelay.default),
    processMetrics: values.has('process-metrics'),
    settings: settingTexts(values),
    files: files(values, directory),
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

/** The rows whose option names a file. */
const fileRows = allRows.flatMap(([key, { flag, file }]) =>
  file === true && flag !== undefined ? [[key as FileKey, flag] as const] : [],
)

function files(values: Values, directory: string): StartOptions['files'] {
  const named = fileRows.map(([key, flag]) => [key, path(values.text(flag), directory, `--${flag}`)] as const)
  return Object.fromEntries(named.filter(([, file]) => file !== undefined))
}

function audit(values: Values, directory: string): StartOptions['audit'] {
  const log = values.text('audit-log-path')
  const rotates = rotation(values)
  if (!values.has('audit-policy-file')) {
    if (values.has('audit-webhook-config-file')) {
      throw new LauncherError('--audit-webhook-config-file needs --audit-policy-file: without a policy nothing is recorded.')
    }
    if (log === undefined && rotates === undefined) return undefined
    throw new LauncherError('--audit-log-… needs --audit-policy-file: without a policy nothing is recorded.')
  }
  const file = log === '-' ? log : (path(log, directory, '--audit-log-path') ?? settingTable.auditLogPath.default)
  if (file === '-' && rotates !== undefined) throw new LauncherError('--audit-log-maxsize needs --audit-log-path, a file.')
  return { log: file, rotation: rotates }
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

function port(value: string = settingTable.port.default): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65535) {
    throw new LauncherError(`--port must be a number from 0 to 65535, not "${value}".`)
  }
  return Number(value)
}

function host(value: string = settingTable.host.default): string {
  const bare = value.replace(/^\[(.*)\]$/, '$1')
  const name = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/
  if (isIP(bare) === 0 && !name.test(bare)) throw new LauncherError(`--host must be an address or a host name, not "${value}".`)
  return bare
}

/** Reads --shutdown-delay-duration. @returns seconds @throws LauncherError in kube-apiserver's words if it is negative */
function shutdownDelay(text: string): number {
  let seconds: number
  try {
    seconds = Number(parseDuration(text)) / 1e9
  } catch (error) {
    throw new LauncherError(`--shutdown-delay-duration: ${reasonOf(error)}.`)
  }
  if (seconds < 0) throw new LauncherError('--shutdown-delay-duration can not be negative value.')
  return seconds
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
  for (const [key, flag] of fileRows) {
    const file = options.files[key]
    if (file !== undefined) args.push(`--${flag}`, file)
  }
  if (audit !== undefined && (options.files.auditWebhook === undefined || settings.AUDIT_LOG !== undefined)) {
    args.push('--audit-log-path', audit.log)
  }
  if (audit?.rotation !== undefined) {
    const { bytes, backups, days } = audit.rotation
    args.push('--audit-log-maxsize', String(bytes / mebibyte))
    args.push('--audit-log-maxbackup', String(backups), '--audit-log-maxage', String(days))
  }
  for (const [, { variable, flag, file }] of settingRows) {
    const value = file === true ? undefined : settings[variable]
    if (value !== undefined && flag !== undefined) args.push(`--${flag}=${value}`)
  }
  if (settings.TESTING !== undefined) args.push('--testing')
  if (options.shutdownDelay > 0) args.push('--shutdown-delay-duration', `${options.shutdownDelay}s`)
  if (options.processMetrics) args.push('--process-metrics')
  if (options.maxConnections !== undefined) args.push('--max-connections', String(options.maxConnections))
  if (options.spdy) args.push('--spdy')
  return args
}
