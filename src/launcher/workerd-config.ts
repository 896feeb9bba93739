import { authorityBinding } from '../auth/ca-fetch.ts'
import { barredAddresses } from '../net/proxyable-address.ts'
import type { KeyPair } from './issue-certificates.ts'

/** The place at which workerd listens: the port to which clients connect, or a Unix socket behind a TCP proxy (https) or a TLS proxy (http). */
export type Listen =
  | { readonly at: 'port'; readonly address: string; readonly certificate: KeyPair }
  | { readonly at: 'https socket'; readonly path: string; readonly certificate: KeyPair }
  | { readonly at: 'http socket'; readonly path: string; readonly header: string }

/** The parts of workerd's configuration that differ from one server to the next. */
export interface WorkerdConfig {
  readonly listen: Listen
  /** The authorities of issuers' and webhooks' servers, beside those that everybody trusts; PEM. */
  readonly authorities: readonly string[]
  /** The directory of the Durable Objects' databases. */
  readonly objects: string
  /** The names of the Worker's modules, its entry first; they are in the directory `worker` beside the configuration file. */
  readonly modules: readonly string[]
  /** The directory in which the supervisor tells the Worker about its process; undefined if it does not. */
  readonly process: string | undefined
  /** The Worker's settings, by the names of docs/configuration.md. */
  readonly settings: Readonly<Record<string, string>>
}

/** The Workers release whose behaviour the product is written for; the same as in wrangler.toml. */
export const compatibilityDate = '2026-11-17'

/** The memory of all caches in MiB. A process of its own may have more than an isolate on Cloudflare. */
export const localCacheMegabytes = 128

/** Settings of every server on plain workerd, unless options say otherwise. */
export const localSettings: Readonly<Record<string, string>> = {
  CACHE_MEGABYTES: String(localCacheMegabytes),
  HISTORY_SECONDS: '300',
  HISTORY_EVENTS: '1000',
  SERVICE_CIDR: '10.0.0.0/16',
  COMPRESSION: 'none',
  WATCHES: 'streams',
}

/**
 * Writes workerd's configuration (its schema is workerd/workerd.capnp). It holds the private key and the administrator's
 * token: the file must be readable by its owner only.
 */
export function workerdConfigText(config: WorkerdConfig): string {
  const bindings = Object.entries(config.settings).map(([name, value]) => `(name = ${quoted(name)}, text = ${quoted(value)})`)
  const ways = config.authorities.map((pem, index) => ({ pem, service: `authority-${index}` }))
  for (const { pem, service } of ways) bindings.push(`(name = ${quoted(authorityBinding(pem))}, service = ${quoted(service)})`)
  if (config.process !== undefined) bindings.push('(name = "PROCESS", service = "process")')
  const process = config.process === undefined ? '' : `(name = "process", disk = (path = ${quoted(config.process)})),\n    `
  // --max-semi-space-size: garbage collection pauses of 110 ms become 18 ms, and memory stays small.
  // network: webhooks and OIDC issuers are wherever the operator runs them, also on this machine.
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  v8Flags = ["--max-semi-space-size=2"],
  services = [
    (name = "edgeplane", worker = (
      modules = [${config.modules.map(moduleText).join(', ')}],
      compatibilityDate = ${quoted(compatibilityDate)},
      bindings = [
        (name = "COLLECTION", durableObjectNamespace = "Collection"),
        (name = "CONTROL", durableObjectNamespace = "Control"),
        (name = "NODE_NETWORK", service = "nodes"),
        ${bindings.join(',\n        ')}
      ],
      durableObjectNamespaces = [
        (className = "Collection", uniqueKey = "edgeplane-collection", enableSql = true),
        (className = "Control", uniqueKey = "edgeplane-control", enableSql = true)
      ],
      durableObjectStorage = (localDisk = "objects")
    )),
    (name = "objects", disk = (path = ${quoted(config.objects)}, writable = true)),
    ${process}${ways.map(({ pem, service }) => networkText(service, `trustedCertificates = [${quoted(pem)}]`)).join('\n    ')}
    (name = "nodes", network = (allow = ["public", "private"], deny = [${deniedAddresses}])),
    ${networkText('internet', 'trustBrowserCas = true')}
  ],
  sockets = [(
    name = "https",
    ${socketText(config.listen)},
    service = "edgeplane"
  )]
);
`
}

/** Addresses to which the name of a node must not lead, also as IPv6 addresses that stand for IPv4 addresses. */
const deniedAddresses = [...barredAddresses, '::ffff:0:0/96'].map((block) => `"${block}"`).join(', ')

const moduleText = (name: string): string => `(name = ${quoted(name)}, esModule = embed ${quoted(`worker/${name}`)})`

/** Writes a network service with the authorities that it trusts. */
const networkText = (name: string, trust: string): string =>
  `(name = ${quoted(name)}, network = (allow = ["public", "private"], tlsOptions = (${trust}))),`

function socketText(listen: Listen): string {
  // request.cf is read from the header: only the TLS proxy knows its name.
  if (listen.at === 'http socket')
    return `address = ${quoted(`unix:${listen.path}`)}, http = (cfBlobHeader = ${quoted(listen.header)})`
  const { key, certificate } = listen.certificate
  const tls = `tlsOptions = (keypair = (privateKey = ${quoted(key)}, certificateChain = ${quoted(certificate)}))`
  if (listen.at === 'port') return `address = ${quoted(listen.address)}, https = (${tls})`
  // The runtime does not tell the address of a Unix socket's client, and the header in which Cloudflare does must not come from a client.
  const options = 'options = (injectRequestHeaders = [(name = "cf-connecting-ip")])'
  return `address = ${quoted(`unix:${listen.path}`)}, https = (${options}, ${tls})`
}

/** A Cap'n Proto string literal. */
function quoted(text: string): string {
  const escaped = text
    .replace(/[\\"]/g, '\\$&')
    .replace(/\n/g, '\\n')
    .replace(/\p{Cc}/gu, (character) => {
      return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
    })
  return `"${escaped}"`
}
