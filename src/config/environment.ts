/**
 * The bindings and settings of a deployment, as wrangler.toml or the launcher gives them to the Worker and its Durable Objects.
 */
import type { ObjectBindings } from '../clusters/object-stubs.ts'
import { type ClusterPlacement, clusterPlacements } from '../clusters/placement.ts'
import type { Network } from '../clusters/webhooks/network.ts'
import type { AdmissionTexts } from './admission/settings.ts'
import { type ControllerName, enabledControllers } from './controllers.ts'

export interface Environment extends ObjectBindings, AdmissionTexts {
  /** Settings come with the first request, which must have this as its bearer token: see http/late-settings.ts. A secret. */
  readonly LATE_SETTINGS?: string
  /** The administrator's bearer token, or `sha256:` and its hash. A secret. */
  readonly ADMIN_TOKEN?: string
  /** Further bearer tokens, in the format of auth/static-tokens.ts. A secret. */
  readonly STATIC_TOKENS?: string
  /** An AuthenticationConfiguration as JSON: OpenID Connect issuers, and anonymous requests. */
  readonly AUTHENTICATION_CONFIGURATION?: string
  /** The kubeconfig of the webhook token authenticator, as JSON. */
  readonly AUTHENTICATION_TOKEN_WEBHOOK?: string
  /** How long the webhook's answers are cached: a duration. */
  readonly AUTHENTICATION_TOKEN_WEBHOOK_CACHE_TTL?: string
  /** An AuthorizationConfiguration as JSON: webhooks in addition to RBAC. */
  readonly AUTHORIZATION_CONFIGURATION?: string
  /** `cloudflare`: client certificates that Cloudflare has verified are trusted. */
  readonly CLIENT_CERTIFICATES?: string
  /** The issuer URL of ServiceAccount tokens. */
  readonly SERVICE_ACCOUNT_ISSUER?: string
  /** The keys of ServiceAccount tokens, in the format of auth/service-accounts/configured-keys.ts; else they are generated. A secret. */
  readonly SERVICE_ACCOUNT_KEYS?: string
  /** The CA certificate of the server, PEM; it is published in every namespace. */
  readonly ROOT_CERTIFICATE?: string
  /** The history is kept for at least this number of seconds … */
  readonly HISTORY_SECONDS?: string
  /** … and at least this number of events. */
  readonly HISTORY_EVENTS?: string
  /** The placement of clusters that are made by this deployment: `collections` or `one-object`. */
  readonly PLACEMENT?: string
  /** The range of Services' cluster IPs. */
  readonly SERVICE_CIDR?: string
  /** The release whose API the default cluster serves, in the format of config/emulation.ts. */
  readonly EMULATED_RELEASE?: string
  /** The versions and resources of the default cluster that are switched on or off, in the format of catalog/runtime-config.ts. */
  readonly RUNTIME_CONFIG?: string
  /** Whether an emulated release has the later versions of its resources; `true` or `false`. */
  readonly EMULATION_FORWARD_COMPATIBLE?: string
  /** Whether RUNTIME_CONFIG may name what came after the emulated release; `true` or `false`. */
  readonly RUNTIME_CONFIG_EMULATION_FORWARD_COMPATIBLE?: string
  /** The oldest release whose components the server works with, in the format of EMULATED_RELEASE. */
  readonly MIN_COMPATIBILITY_VERSION?: string
  /** `NAME=true,NAME=false`: feature gates, by kube-apiserver's names. */
  readonly FEATURE_GATES?: string
  /** The enabled controllers, in the format of config/controllers.ts. */
  readonly CONTROLLERS?: string
  /** Routes to the Services of webhooks, in the format of config/service-routes.ts. */
  readonly SERVICE_ROUTES?: string
  /** The client certificate that proves to other API servers that this is the front proxy, PEM, and its key. A secret. */
  readonly PROXY_CLIENT_CERTIFICATE?: string
  readonly PROXY_CLIENT_KEY?: string
  /** The client certificate for kubelets, PEM, and its key. A secret. */
  readonly KUBELET_CLIENT_CERTIFICATE?: string
  readonly KUBELET_CLIENT_KEY?: string
  /** The authorities of kubelets, PEM. */
  readonly KUBELET_CERTIFICATE_AUTHORITY?: string
  /** The types of node addresses, separated by commas, the preferred first. */
  readonly KUBELET_PREFERRED_ADDRESS_TYPES?: string
  /** The local server's network of all addresses to which proxies may connect. */
  readonly NODE_NETWORK?: Network
  /** The local server's networks of named clusters: with the internet, and of the listed blocks alone. */
  readonly CLUSTER_NETWORK?: Network
  readonly LISTED_NETWORK?: Network
  /** The places that named clusters may reach beside the internet, in the format of config/cluster-egress.ts. */
  readonly CLUSTER_EGRESS?: string
  /** The authority of that certificate, PEM; it is published in the ConfigMap extension-apiserver-authentication. */
  readonly REQUESTHEADER_CLIENT_CA?: string
  /** The common names of certificates that a front proxy may have, separated by commas; any if empty. */
  readonly REQUESTHEADER_ALLOWED_NAMES?: string
  /** The authorities of client certificates, PEM; published in the same ConfigMap. */
  readonly CLIENT_CA?: string
  /** `none`: no proxy between the Worker and its clients compresses responses, so watches need not prevent it. */
  readonly COMPRESSION?: string
  /**
   * `sockets`: open watches do not keep Durable Objects in memory. `streams`: they do, and events take one step less.
   */
  readonly WATCHES?: string
  /** The domain below which each named cluster has a host of its own, such as clusters.example.com. */
  readonly CLUSTER_DOMAIN?: string
  /** The limits of those who make clusters, in the format of config/cluster-owner-limits.ts. */
  readonly CLUSTER_OWNER_LIMITS?: string
  /** The seconds for which finalizers keep the object of a cluster whose time is over. */
  readonly CLUSTER_FINALIZER_SECONDS?: string
  /** `enabled`: browsers get a page at / that says what the server is. */
  readonly PUBLIC_PAGE?: string
  /** `host:port` at which clients reach the server. */
  readonly SERVER_ADDRESS?: string
  /**
   * `address:port` for the Endpoints of the Service `kubernetes`; the address is an IP. Without it the Service has no Endpoints.
   */
  readonly ADVERTISE_ADDRESS?: string
  /** The audit policy: a Policy of audit.k8s.io/v1 as JSON or YAML. Without it nothing is recorded. */
  readonly AUDIT_POLICY?: string
  /** An R2 bucket and a queue for audit events. Without either, events are written to the console. */
  readonly AUDIT_BUCKET?: R2Bucket
  readonly AUDIT_QUEUE?: Queue<string>
  /** The process in front of the local server's workerd, which tells the lines of repeated headers. */
  readonly HEADER_LINES?: { fetch(url: string, init: { readonly headers: Headers }): Promise<Response> }
  /** Files that the local server's supervisor writes about its process. */
  readonly PROCESS?: { fetch(url: string): Promise<Response> }
  /** `console`: events are written to the console besides the audit webhook. */
  readonly AUDIT_LOG?: string
  /** The maximum number of concurrent requests of all limited priority levels in one isolate; 0 for no limit. */
  readonly MAX_REQUESTS_INFLIGHT?: string
  /** `REQUESTS_PER_SECOND[:BURST]` for each user and each IP address in one isolate. */
  readonly USER_RATE?: string
  readonly ADDRESS_RATE?: string
  /** The platform's rate limiters for the same purpose. */
  readonly USER_RATE_LIMIT?: RateLimit
  readonly ADDRESS_RATE_LIMIT?: RateLimit
  /** Counts requests with failed authentication and anonymous ones, by the client's address. */
  readonly STRANGER_RATE_LIMIT?: RateLimit
  /** The maximum age of permissions, checked tokens and the admission configuration in the Worker, in seconds. */
  readonly POLICY_SECONDS?: string
  /** The memory of all caches of an isolate, in MiB. */
  readonly CACHE_MEGABYTES?: string
  /** MiB of long texts after which the Worker collects garbage; 0: V8 alone decides, which knows the limit of its heap on Cloudflare. */
  readonly GARBAGE_MEGABYTES?: string
  /** The seconds for which outdated rules are used while the control object does not answer. */
  readonly POLICY_STALE_SECONDS?: string
  /** `enabled`: tests may control clocks, faults and clusters. For a server of one process, never for a deployment. */
  readonly TESTING?: string
  /** Regular expressions of origins that are allowed by CORS, separated by commas. */
  readonly CORS_ALLOWED_ORIGINS?: string
  /** Directives of Strict-Transport-Security, separated by commas. */
  readonly STRICT_TRANSPORT_SECURITY?: string
  /** An Analytics Engine dataset with one data point per request. */
  readonly METRICS?: AnalyticsEngineDataset
}

const defaultHistory = { historySeconds: 300, historyEvents: 1000 }

function positive(text: string | undefined, otherwise: number): number {
  const value = Number(text)
  return Number.isSafeInteger(value) && value > 0 ? value : otherwise
}

const defaultFinalizerSeconds = 3600

/** Returns the seconds for which finalizers keep the object of a cluster whose time is over. */
export const clusterFinalizerSecondsOf = ({ CLUSTER_FINALIZER_SECONDS: text }: Environment): number =>
  positive(text, defaultFinalizerSeconds)

/** Returns the limits of the history. */
export function historyOf(environment: Environment): { readonly historySeconds: number; readonly historyEvents: number } {
  return {
    historySeconds: positive(environment.HISTORY_SECONDS, defaultHistory.historySeconds),
    historyEvents: positive(environment.HISTORY_EVENTS, defaultHistory.historyEvents),
  }
}

/** The default concurrency limit: the sum of kube-apiserver's --max-requests-inflight and --max-mutating-requests-inflight. */
const defaultInflight = 600

/** Returns the maximum number of concurrent requests of all limited priority levels in one isolate. */
export function maximumInflightOf({ MAX_REQUESTS_INFLIGHT: text }: Environment): number {
  return text === '0' ? Number.POSITIVE_INFINITY : positive(text, defaultInflight)
}

export const controllersOf = (environment: Environment): ReadonlySet<ControllerName> =>
  enabledControllers(environment.CONTROLLERS ?? '')

/** The way on which events come from a collection's Durable Object to the Worker. */
export type WatchTransport = 'sockets' | 'streams'

export const watchTransportOf = ({ WATCHES }: Environment): WatchTransport => (WATCHES === 'streams' ? 'streams' : 'sockets')

/** The address at which the cluster's own workloads reach the server. */
export interface AdvertisedAddress {
  readonly ip: string
  readonly port: number
}

/** Parses `10.1.2.3:6443` or `[fd00::1]:6443`; undefined if it is not set. */
export function advertisedAddressOf({ ADVERTISE_ADDRESS: text = '' }: Environment): AdvertisedAddress | undefined {
  const [, ip = '', port = ''] = /^\[?([0-9a-f.:]+?)\]?:(\d+)$/i.exec(text) ?? []
  return ip === '' ? undefined : { ip, port: Number(port) }
}

/**
 * Returns the placement of new clusters.
 * @throws Error that names an invalid setting
 */
export function placementSettingOf({ PLACEMENT: text = '' }: Pick<Environment, 'PLACEMENT'>): ClusterPlacement {
  const found = clusterPlacements.find((one) => one === (text || 'collections'))
  if (found === undefined)
    throw new Error(`PLACEMENT: must be one of ${clusterPlacements.join(', ')}, not ${JSON.stringify(text)}`)
  return found
}

export const serviceCidrOf = (environment: Environment): string => environment.SERVICE_CIDR || '10.0.0.0/16'

/** Returns the issuer of ServiceAccount tokens, which is also their default audience. */
export const serviceAccountIssuerOf = (environment: Environment): string =>
  environment.SERVICE_ACCOUNT_ISSUER || 'https://kubernetes.default.svc.cluster.local'
