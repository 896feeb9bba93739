/** APIServices in the policy snapshot: the group versions that other API servers serve. Local ones are not among them. */
import type { JsonObject } from '../go/json-value.ts'
import type { WebhookService } from './webhooks/transport.ts'

/** The documents that an API server serves about itself, each as far as it concerns one group version. */
export interface ApiServiceDocuments {
  /** An APIVersionDiscovery without its freshness. */
  readonly discovery?: JsonObject
  /** The paths of OpenAPI 3 (`apis/GROUP/VERSION`), each with the URL of its document. */
  readonly openApi?: Readonly<Record<string, string>>
  /** 2 if the server does not have OpenAPI 3. */
  readonly openApiVersion?: 2
}

/** The name of a Service. */
export type ServiceName = Pick<WebhookService, 'namespace' | 'name'>

/** An APIService that names a Service. */
export interface ApiService extends ApiServiceDocuments {
  readonly group: string
  readonly version: string
  readonly groupPriority: number
  readonly versionPriority: number
  readonly service: Required<Pick<WebhookService, 'namespace' | 'name' | 'port'>>
  /** PEM in base64; '' for the authorities that everybody trusts. */
  readonly caBundle: string
  /** Whether the certificate of the server is not verified. */
  readonly isInsecure: boolean
  /** Whether the condition Available is true. */
  readonly isAvailable: boolean
}

/** The APIServices by their names: `<version>.<group>`. */
export type ApiServices = Readonly<Record<string, ApiService>>

/** Returns the APIService of a group version; undefined if no other server serves it. */
export function apiServiceOf(services: ApiServices, group: string, version: string): ApiService | undefined {
  const name = `${version}.${group}`
  return Object.hasOwn(services, name) ? services[name] : undefined
}
