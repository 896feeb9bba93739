/** The bindings and settings of a deployment, as wrangler.toml or the launcher gives them to the Worker and its Durable Objects. */
import type { ObjectBindings } from '../clusters/object-stubs.ts'
import type { Network } from '../clusters/webhooks/network.ts'
import type { SettingTexts } from './settings.ts'

export interface Environment extends ObjectBindings, SettingTexts {
  /** The local server's network of all addresses to which proxies may connect. */
  readonly NODE_NETWORK?: Network
  /** The local server's networks of named clusters: with the internet, and of the listed blocks alone. */
  readonly CLUSTER_NETWORK?: Network
  readonly LISTED_NETWORK?: Network
  /** An R2 bucket and a queue for audit events. Without either, events are written to the console. */
  readonly AUDIT_BUCKET?: R2Bucket
  readonly AUDIT_QUEUE?: Queue<string>
  /** The process in front of the local server's workerd, which tells the lines of repeated headers. */
  readonly HEADER_LINES?: { fetch(url: string, init: { readonly headers: Headers }): Promise<Response> }
  /** Files that the local server's supervisor writes about its process. */
  readonly PROCESS?: { fetch(url: string): Promise<Response> }
  /** The platform's rate limiters of users and addresses. */
  readonly USER_RATE_LIMIT?: RateLimit
  readonly ADDRESS_RATE_LIMIT?: RateLimit
  /** Counts requests with failed authentication and anonymous ones, by the client's address. */
  readonly STRANGER_RATE_LIMIT?: RateLimit
  /** An Analytics Engine dataset with one data point per request. */
  readonly METRICS?: AnalyticsEngineDataset
}
