/** What the handlers of a request work with. */
import type { Authorizer } from '../auth/authorizer.ts'
import type { AccountCache } from '../auth/service-accounts/account-cache.ts'
import type { TokenKeys } from '../auth/service-accounts/token-keys.ts'
import type { Kind } from '../catalog/kind.ts'
import type { CollectionClient } from '../clusters/collection-client.ts'
import type { Target } from '../clusters/operation.ts'
import type { PolicyCache } from '../clusters/policy.ts'
import type { KindCache } from '../crd/kind-cache.ts'
import type { User } from '../meta/user.ts'
import type { AuditLog } from './audit/log.ts'
import type { RequestAudit } from './chain/audit.ts'
import type { Authentication } from './chain/authentication.ts'
import type { Limits } from './chain/limits.ts'
import type { ResourceRequest } from './chain/request-info.ts'
import type { BrowserHeaders } from './chain/security-headers.ts'
import type { CurrentDiscovery } from './discovery/custom.ts'
import type { HealthCheck } from './health.ts'
import type { HealthMetrics } from './metrics/health-metrics.ts'
import type { ServerMetrics } from './metrics/server-metrics.ts'
import type { CustomVersions } from './openapi/definitions.ts'
import type { BuildInfo } from './version.ts'

/** A deployment, wired: the same for all requests of an isolate. */
export interface Server {
  readonly collections: CollectionClient
  readonly policy: PolicyCache
  readonly authentication: Authentication
  readonly authorizer: Authorizer
  readonly limits: Limits
  readonly browserHeaders: BrowserHeaders
  /** Undefined where nothing is recorded. */
  readonly audit: AuditLog | undefined
  readonly metrics: ServerMetrics
  readonly healthMetrics: HealthMetrics
  /** The ServiceAccounts that new Pods are under. */
  readonly accounts: AccountCache
  /** Issues the tokens of ServiceAccounts, under this name. */
  readonly issuer: { readonly url: string; readonly keys: TokenKeys }
  readonly discovery: CurrentDiscovery
  readonly customKinds: KindCache
  readonly customVersions: CustomVersions
  readonly health: readonly HealthCheck[]
  /** Paths beside discovery that / lists. */
  readonly otherPaths: readonly string[]
  readonly build: BuildInfo
  /** Headers that keep whoever stands between from compressing a watch. */
  readonly watchHeaders: Readonly<Record<string, string>>
  /** `host:port` at which clients reach the server. */
  readonly serverAddress: string
}

/** A request for a resource, authorized and found. */
export interface ResourceContext {
  readonly server: Server
  readonly request: Request
  readonly query: URLSearchParams
  readonly info: ResourceRequest
  readonly user: User
  readonly kind: Kind
  /** The kind's definition is on its way out: no objects are made any more. */
  readonly isTerminating: boolean
  readonly target: Target
  /** Undefined where the request is not recorded. */
  readonly audit: RequestAudit | undefined
}
