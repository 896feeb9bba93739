/** What a deployment binds and sets, as wrangler.toml and the launcher give it to the Worker and its Durable Objects. */
import type { ObjectBindings } from '../clusters/collection-client.ts'
import { type ControllerName, enabledControllers } from './controllers.ts'

export interface Environment extends ObjectBindings {
  /** The bearer token of the administrator, or `sha256:` and its hash; a secret of the deployment. */
  readonly ADMIN_TOKEN?: string
  /** Further bearer tokens, as auth/static-tokens.ts reads them; a secret of the deployment. */
  readonly STATIC_TOKENS?: string
  /** An AuthenticationConfiguration as JSON: issuers of OpenID Connect tokens, and who may be anonymous. */
  readonly AUTHENTICATION_CONFIGURATION?: string
  /** A kubeconfig as JSON: the webhook that is asked about tokens. */
  readonly AUTHENTICATION_TOKEN_WEBHOOK?: string
  /** How long its answers are repeated: a duration. */
  readonly AUTHENTICATION_TOKEN_WEBHOOK_CACHE_TTL?: string
  /** An AuthorizationConfiguration as JSON: webhooks that decide beside roles and bindings. */
  readonly AUTHORIZATION_CONFIGURATION?: string
  /** `cloudflare`: certificates of clients are believed as Cloudflare has verified them. */
  readonly CLIENT_CERTIFICATES?: string
  /** Who issues the tokens of ServiceAccounts: a URL. */
  readonly SERVICE_ACCOUNT_ISSUER?: string
  /** By which clients trust the server, PEM: every namespace gets it. */
  readonly ROOT_CERTIFICATE?: string
  /** History is kept for at least so many seconds … */
  readonly HISTORY_SECONDS?: string
  /** … and at least so many events. */
  readonly HISTORY_EVENTS?: string
  /** From which Services get their addresses. */
  readonly SERVICE_CIDR?: string
  /** `NAME=true,NAME=false`: features that are on or off, by the names of kube-apiserver's gates. */
  readonly FEATURE_GATES?: string
  /** Which controllers run, as config/controllers.ts reads it. */
  readonly CONTROLLERS?: string
  /** `none`: nobody between the Worker and its clients compresses answers, so that watches need not forbid it. */
  readonly COMPRESSION?: string
  /** `host:port` at which clients reach the server. */
  readonly SERVER_ADDRESS?: string
  /** `address:port` of the Endpoints of the Service `kubernetes`, the address an IP; without it that Service has none. */
  readonly ADVERTISE_ADDRESS?: string
  /** Which requests are recorded: a Policy of audit.k8s.io/v1 as JSON or YAML. Without it none are. */
  readonly AUDIT_POLICY?: string
  /** An R2 bucket and a queue for audit events; without either they go to the console. */
  readonly AUDIT_BUCKET?: R2Bucket
  readonly AUDIT_QUEUE?: Queue<string>
  /** How many requests of all limited priority levels run at once in one isolate; 0 for no limit. */
  readonly MAX_REQUESTS_INFLIGHT?: string
  /** `REQUESTS_PER_SECOND[:BURST]` of one user and of one address in one isolate. */
  readonly USER_RATE?: string
  readonly ADDRESS_RATE?: string
  /** The platform's counters for the same. */
  readonly USER_RATE_LIMIT?: RateLimit
  readonly ADDRESS_RATE_LIMIT?: RateLimit
  /** Regular expressions of the origins from which browsers may ask, separated by commas. */
  readonly CORS_ALLOWED_ORIGINS?: string
  /** Directives of Strict-Transport-Security, separated by commas. */
  readonly STRICT_TRANSPORT_SECURITY?: string
  /** An Analytics Engine dataset that gets a point for each request. */
  readonly METRICS?: AnalyticsEngineDataset
}

const defaultHistory = { historySeconds: 300, historyEvents: 1000 }

function positive(text: string | undefined, otherwise: number): number {
  const value = Number(text)
  return Number.isSafeInteger(value) && value > 0 ? value : otherwise
}

/** How long history is kept. */
export function historyOf(environment: Environment): { readonly historySeconds: number; readonly historyEvents: number } {
  return {
    historySeconds: positive(environment.HISTORY_SECONDS, defaultHistory.historySeconds),
    historyEvents: positive(environment.HISTORY_EVENTS, defaultHistory.historyEvents),
  }
}

/** How many requests run at once where nothing is set: as many as kube-apiserver lets in, of both kinds together. */
const defaultInflight = 600

/** How many requests of all limited priority levels run at once in one isolate. */
export function maximumInflightOf({ MAX_REQUESTS_INFLIGHT: text }: Environment): number {
  return text === '0' ? Number.POSITIVE_INFINITY : positive(text, defaultInflight)
}

/** Which controllers run. */
export const controllersOf = (environment: Environment): ReadonlySet<ControllerName> =>
  enabledControllers(environment.CONTROLLERS ?? '')

/** Where the cluster's own workloads reach the server. */
export interface AdvertisedAddress {
  readonly ip: string
  readonly port: number
}

/** Reads `10.1.2.3:6443` or `[fd00::1]:6443`; undefined where there is none. */
export function advertisedAddressOf({ ADVERTISE_ADDRESS: text = '' }: Environment): AdvertisedAddress | undefined {
  const [, ip = '', port = ''] = /^\[?([0-9a-f.:]+?)\]?:(\d+)$/i.exec(text) ?? []
  return ip === '' ? undefined : { ip, port: Number(port) }
}

/** The address range of Services. */
export const serviceCidrOf = (environment: Environment): string => environment.SERVICE_CIDR || '10.0.0.0/16'

/** Who issues the tokens of ServiceAccounts, and for whom they are meant where nobody is named. */
export const serviceAccountIssuerOf = (environment: Environment): string =>
  environment.SERVICE_ACCOUNT_ISSUER || 'https://kubernetes.default.svc.cluster.local'
