import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { authorityBinding } from '../auth/ca-fetch.ts'
import { listedBlocks, readClusterEgress, unlisted } from '../config/cluster-egress.ts'
import { barredAddresses } from '../net/proxyable-address.ts'
import { internetBlocks, specialBlocks } from '../net/public-address.ts'
import { interfaceAddresses } from './addresses.ts'
import { capnpMessage, ListSegment, listSegment, type Struct } from './capnp.ts'
import type { KeyPair } from './issue-certificates.ts'
import { LauncherError, reasonOf } from './launcher-error.ts'
import { workerdConfiguration, workerModule } from './workerd-schema.ts'

/**
 * The Unix socket on which workerd listens, behind a TCP proxy (https) or a TLS proxy (http). A TCP proxy serves the loopback
 * interface, of which all clients have the same address.
 */
export type Listen =
  | { readonly at: 'https socket'; readonly path: string; readonly clientAddress: string; readonly certificate: KeyPair }
  | { readonly at: 'http socket'; readonly path: string; readonly header: string }

/** The parts of workerd's configuration that differ from one server to the next. */
export interface WorkerdConfig {
  readonly listen: Listen
  /** The authorities of issuers' and webhooks' servers, beside those that everybody trusts; PEM. */
  readonly authorities: readonly string[]
  /** The directory of the Durable Objects' databases. */
  readonly objects: string
  /** The Worker's modules. */
  readonly modules: ListSegment
  /** The directory in which the supervisor tells the Worker about its process; undefined if it does not. */
  readonly process: string | undefined
  /** The Unix socket at which the proxy tells the lines of repeated headers; undefined if it does not. */
  readonly headerLines: string | undefined
  /** The Worker's settings, by the names of docs/configuration.md. */
  readonly settings: Readonly<Record<string, string>>
}

/** The Workers release whose behaviour the product is written for; the same as in wrangler.toml. */
export const compatibilityDate = '2026-11-17'

/**
 * Writes workerd's configuration, in its binary form. It holds the private key and the administrator's token: the file must be readable
 * by its owner only.
 */
export function workerdConfig(config: WorkerdConfig): Uint8Array[] {
  const ways = config.authorities.map((pem, index) => ({ pem, name: `authority-${index}` }))
  const egress = clusterNetworks(config.settings)
  const directories = config.process === undefined ? [] : [{ name: 'process', disk: { path: config.process } }]
  const { headerLines } = config
  const proxies =
    headerLines === undefined ? [] : [{ name: 'header-lines', external: { address: `unix:${headerLines}`, http: {} } }]
  return capnpMessage(workerdConfiguration, {
    // Garbage collection pauses of 110 ms become 18 ms, and memory stays small.
    v8Flags: ['--max-semi-space-size=2'],
    services: [
      { name: 'edgeplane', worker: workerOf(config, ways, egress) },
      { name: 'objects', disk: { path: config.objects, writable: true } },
      ...directories,
      ...proxies,
      ...ways.map(({ pem, name }) => network(name, { trustedCertificates: [pem] })),
      // A node's name must not lead to the barred addresses, also as IPv6 addresses that stand for IPv4 addresses.
      { name: 'nodes', network: { allow: everywhere, deny: [...barredAddresses, '::ffff:0:0/96'] } },
      ...egress,
      network('internet', { trustBrowserCas: true }),
    ],
    sockets: [{ name: 'https', ...socketOf(config.listen), service: { name: 'edgeplane' } }],
  })
}

/** The name of the Worker's entry among its modules. */
export const entryModule = 'worker.js'

/** The file beside the Worker's entry in which a build leaves its modules for configurations. */
export const modulesFile = (entry: string): string => entry.replace(/\.js$/, '.modules')

/**
 * Gives the Worker's modules for a configuration: as the build has left them, or from the modules themselves.
 * @param paths the entry first
 * @throws LauncherError if they cannot be read
 */
export function readModules(paths: readonly string[]): ListSegment {
  const [entry = ''] = paths
  const built = modulesFile(entry)
  try {
    return existsSync(built) ? new ListSegment(readFileSync(built)) : packModules(paths)
  } catch (error) {
    throw new LauncherError(`The Worker's bundle ${entry} cannot be read: ${reasonOf(error)}.`)
  }
}

/** Reads the Worker's modules, and writes them as a configuration contains them. @param paths the entry first */
export function packModules(paths: readonly string[]): ListSegment {
  const modules = paths.map((path, index) => ({ name: index === 0 ? entryModule : basename(path), esModule: readFileSync(path) }))
  const size = modules.reduce((sum, { name, esModule }) => sum + name.length + esModule.length + 64, 0)
  return listSegment(workerModule, modules, size)
}

function workerOf(
  config: WorkerdConfig,
  ways: readonly { readonly pem: string; readonly name: string }[],
  egress: readonly ClusterNetworkService[],
): Struct {
  const texts = Object.entries(config.settings).map(([name, text]) => ({ name, text }))
  const services = [
    { name: 'NODE_NETWORK', service: { name: 'nodes' } },
    ...egress.map(({ name }) => ({ name: networkBindings[name], service: { name } })),
    ...ways.map(({ pem, name }) => ({ name: authorityBinding(pem), service: { name } })),
    ...(config.process === undefined ? [] : [{ name: 'PROCESS', service: { name: 'process' } }]),
    ...(config.headerLines === undefined ? [] : [{ name: 'HEADER_LINES', service: { name: 'header-lines' } }]),
  ]
  return {
    modules: config.modules,
    compatibilityDate,
    bindings: [
      ...objectClasses.map(({ name, className }) => ({ name, durableObjectNamespace: { className } })),
      ...services,
      ...texts,
    ],
    durableObjectNamespaces: objectClasses.map(({ className, uniqueKey }) => ({ className, uniqueKey, enableSql: true })),
    localDisk: 'objects',
  }
}

/** The Durable Objects: the binding, the class, and the directory of their databases. */
const objectClasses = [
  { name: 'COLLECTION', className: 'Collection', uniqueKey: 'edgeplane-collection' },
  { name: 'CONTROL', className: 'Control', uniqueKey: 'edgeplane-control' },
]

/** Webhooks and OIDC issuers are wherever the operator runs them, also on this machine. */
const everywhere = ['public', 'private']

/** Gives a network service with the authorities that it trusts. */
const network = (name: string, tlsOptions: Struct): Struct => ({ name, network: { allow: everywhere, tlsOptions } })

/** The bindings of the networks of named clusters, by the names of their services. */
const networkBindings = { clusters: 'CLUSTER_NETWORK', listed: 'LISTED_NETWORK' } as const

type ClusterNetworkService = { readonly name: keyof typeof networkBindings; readonly network: Struct }

/**
 * Gives the networks of named clusters: that of webhooks and extension servers, which are on the internet or at a listed address, and
 * that of nodes, if an address is listed. The addresses of this machine are not of the internet: what listens there may be hidden
 * from others.
 */
function clusterNetworks({ CLUSTER_EGRESS = '' }: WorkerdConfig['settings']): ClusterNetworkService[] {
  const egress = readClusterEgress(CLUSTER_EGRESS)
  const listed = listedBlocks(egress)
  const tlsOptions = { trustBrowserCas: true }
  const deny = unlisted([...specialBlocks, ...interfaceAddresses()], egress)
  const clusters = { name: 'clusters', network: { allow: [...internetBlocks, ...listed], deny, tlsOptions } } as const
  return listed.length === 0 ? [clusters] : [clusters, { name: 'listed', network: { allow: listed, tlsOptions } }]
}

function socketOf(listen: Listen): Struct {
  // request.cf is read from the header: only the TLS proxy knows its name.
  if (listen.at === 'http socket') return { address: `unix:${listen.path}`, http: { cfBlobHeader: listen.header } }
  const { key, certificate } = listen.certificate
  const tlsOptions = { keypair: { privateKey: key, certificateChain: certificate } }
  // The runtime does not tell the address of a Unix socket's client; this is the header in which Cloudflare does.
  const httpsOptions = { injectRequestHeaders: [{ name: 'cf-connecting-ip', value: listen.clientAddress }] }
  return { address: `unix:${listen.path}`, httpsOptions, tlsOptions }
}
