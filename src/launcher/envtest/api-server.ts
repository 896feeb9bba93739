/**
 * A kube-apiserver for envtest: takes its flags, runs workerd and ends TLS in front of it in this same process, because tests wait for
 * each start and authenticate by client certificates. It does not restart a workerd that ends: a kube-apiserver that crashes ends too.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:net'
import { join } from 'node:path'
import { type ServingCertificate, servingCertificate } from '../certificates.ts'
import { type ServerSettings, serverSettings } from '../configure.ts'
import type { DataDirectory } from '../data-directory.ts'
import { reasonOf } from '../launcher-error.ts'
import { lockDataDirectory, unlockDataDirectory } from '../lock.ts'
import type { StartOptions } from '../options.ts'
import { connectionLimits } from '../proxy/connection-limiter.ts'
import { serveHeaderLines } from '../proxy/header-lines.ts'
import { openConnections } from '../proxy/open-connections.ts'
import { readClientAuthorities } from '../proxy/run.ts'
import { TlsProxy } from '../proxy/tls-proxy.ts'
import { headerLinesSocket, identityHeader, workerdSocket } from '../proxy/workerd-socket.ts'
import type { FlagValues } from './flags.ts'
import { certificateDirectory, optionsOf } from './options.ts'
import { openFiles, Workerd } from './workerd.ts'

/** The things with which a server is started, beside its flags. */
export interface Given {
  /** The directory of the data. */
  readonly data: DataDirectory
  /** EDGEPLANE_CONTROLLERS: the controllers that a test wants. */
  readonly controllers: string
  /** A workerd that waits for its settings. */
  readonly prepared: Workerd | undefined
}

/** A server that listens for clients. Their requests wait until workerd can answer them. */
export class ApiServer {
  /** Resolves with the reason if workerd ends, or if the Worker refuses its settings. */
  readonly failed: Promise<string>
  readonly #workerd: Workerd
  readonly #proxy: TlsProxy
  readonly #headerLines: Server | undefined

  private constructor(workerd: Workerd, proxy: TlsProxy, ready: Promise<void>) {
    this.#workerd = workerd
    this.#proxy = proxy
    this.#headerLines = serveHeaderLines(headerLinesSocket(workerd.files.run))
    const refused = new Promise<string>((done) => ready.catch((error: unknown) => done(reasonOf(error))))
    this.failed = Promise.race([refused, workerd.ended.then((code) => `workerd ended unexpectedly (${code})`)])
  }

  /**
   * Starts one.
   * @throws LauncherError for a flag, a file or a port that cannot be used, and if another one uses the data
   */
  static async start(values: FlagValues, { data, controllers, prepared }: Given): Promise<ApiServer> {
    const files = prepared?.files ?? openFiles(data)
    await lockDataDirectory(data)
    let workerd = prepared
    try {
      const options = optionsOf(values, files.run.run, controllers)
      const directory = { ...files.run, tls: certificateDirectory(values) }
      mkdirSync(directory.tls, { recursive: true, mode: 0o700 })
      const certificate = await servingCertificate(directory, options)
      const settings = await serverSettings(directory, options, certificate)
      if (workerd === undefined || !suits(options, settings)) {
        await workerd?.end()
        workerd = Workerd.start(workerd === undefined ? files : openFiles(data), settings, options.audit?.log)
      }
      const ready = workerd.ready(settings.settings)
      const proxy = await listen(workerd, options, certificate, ready)
      if (options.tls === undefined) leaveCertificate(directory, certificate)
      return new ApiServer(workerd, proxy, ready)
    } catch (error) {
      await workerd?.end()
      unlockDataDirectory(data)
      throw error
    }
  }

  /** Takes what workerd prints to its standard error. */
  set print(print: (text: string) => void) {
    this.#workerd.print = print
  }

  /** Stops it, and gives its port and its data back. */
  async stop(): Promise<void> {
    this.#proxy.close()
    this.#headerLines?.close()
    await this.#workerd.end()
    unlockDataDirectory(this.#workerd.files.data)
  }
}

/** Tells whether a prepared workerd can be used: what its configuration has beside the settings cannot come later. */
const suits = ({ audit }: StartOptions, { authorities }: ServerSettings): boolean =>
  audit === undefined && authorities.length === 0

function listen(
  { files }: Workerd,
  options: StartOptions,
  { certificate, key }: ServingCertificate,
  listening: Promise<void>,
): Promise<TlsProxy> {
  const { clientCertificateAuthorities: authorities } = options.files
  const clientAuthorities = authorities === undefined ? '' : readClientAuthorities(authorities)
  const upstream = { socket: workerdSocket(files.run), header: identityHeader(files.run), listening }
  const limits = connectionLimits(openConnections('tls', undefined))
  return TlsProxy.listen(options, upstream, { certificate, key, clientAuthorities }, limits)
}

/** kube-apiserver leaves the certificate that it makes for itself where clients look for it. */
function leaveCertificate({ tls }: DataDirectory, { certificate, key }: ServingCertificate): void {
  writeFileSync(join(tls, 'apiserver.crt'), certificate)
  writeFileSync(join(tls, 'apiserver.key'), key, { mode: 0o600 })
}

/** Gives a failure as kube-apiserver prints it. */
export const failureText = (reason: string): string =>
  `"command failed" err=${JSON.stringify(reason.replace(/^--feature-gates: (.*)\.$/, '$1'))}`
