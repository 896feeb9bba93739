/** The context of the handlers of resources. */
import type { Authorizer } from '../auth/authorizer.ts'
import type { ImageReviews } from '../auth/webhook/image-reviews.ts'
import type { Kind } from '../catalog/kind.ts'
import type { CollectionClient } from '../clusters/collection-client.ts'
import type { Target } from '../clusters/operation.ts'
import type { PolicyCache } from '../clusters/policy.ts'
import type { ReadCache } from '../clusters/read-cache.ts'
import type { WebhookTransport } from '../clusters/webhooks/transport.ts'
import type { AdmissionSettings } from '../config/admission/settings.ts'
import type { WorkerSettingValues } from '../config/settings.ts'
import type { WritesOf } from '../controllers/admitted-writes.ts'
import type { KindCache } from '../crd/kind-cache.ts'
import type { User } from '../meta/user.ts'
import type { RequestAudit } from './audit/request-audit.ts'
import type { Authentication } from './authentication.ts'
import type { HealthCheck } from './health.ts'
import type { ResourceRequest } from './request-info.ts'
import type { ServedResources } from './served-resources.ts'
import type { IssuerKeys } from './service-account-issuer.ts'
import type { NodeAccess } from './verbs/connect/node-access.ts'

/** The services that handlers of resources use. All requests of a cluster share them. */
export interface ResourceServices {
  readonly policy: PolicyCache
  /** The clock of the cluster: milliseconds since the epoch. */
  readonly now: () => number
  /** The resources that the cluster serves. */
  readonly served: ServedResources
  readonly customKinds: KindCache
  /** Facts about other collections for lookups. */
  readonly reads: ReadCache
  readonly authorizer: Authorizer
  /** Makes the writes of a controller, for a request that does not wait for it. */
  readonly writesOf: WritesOf
  /** The enabled admission plugins and their configurations. */
  readonly admissionSettings: AdmissionSettings
  /** The network access of admission webhooks. */
  readonly webhooks: WebhookTransport
  /** How kubelets, Pods and the endpoints of Services are reached. */
  readonly nodes: NodeAccess
  readonly authentication: Authentication
  /** Undefined if the plugin ImagePolicyWebhook is disabled. */
  readonly imageReviews: ImageReviews | undefined
  readonly issuer: IssuerKeys
  readonly health: readonly HealthCheck[]
  /** The way on which events come from a collection's Durable Object. */
  readonly watches: WorkerSettingValues['watches']
  /** Headers that forbid proxies to compress a watch. */
  readonly watchHeaders: Readonly<Record<string, string>>
}

/** An authorized request for a resource whose kind has been found. */
export interface ResourceContext {
  /** The client with this request's headers, deadline and audit record. */
  readonly client: CollectionClient
  readonly services: ResourceServices
  readonly request: Request
  /** The path of the cluster in the path of the URL; '' for the default cluster. */
  readonly basePath: string
  readonly query: URLSearchParams
  readonly info: ResourceRequest
  readonly user: User
  readonly kind: Kind
  readonly target: Target
  /** Undefined if the request is not recorded. */
  readonly audit: RequestAudit | undefined
}
