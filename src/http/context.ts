/** What the handlers of a request work with. */
import type { Authorizer } from '../auth/authorizer.ts'
import type { StaticTokens } from '../auth/tokens.ts'
import type { Kind } from '../catalog/kind.ts'
import type { Objects } from '../clusters/objects.ts'
import type { Target } from '../clusters/operation.ts'
import type { PolicyCache } from '../clusters/policy.ts'
import type { User } from '../meta/user.ts'
import type { AuditLog } from './audit/log.ts'
import type { RequestAudit } from './chain/audit.ts'
import type { Limits } from './chain/limits.ts'
import type { ResourceRequest } from './chain/request-info.ts'
import type { BrowserHeaders } from './chain/security-headers.ts'
import type { Discovery } from './discovery/discovery.ts'
import type { HealthCheck } from './health.ts'
import type { HealthMetrics } from './metrics/health-metrics.ts'
import type { ServerMetrics } from './metrics/server-metrics.ts'
import type { BuildInfo } from './version.ts'

/** A deployment, wired: the same for all requests of an isolate. */
export interface Server {
  readonly cluster: string
  readonly objects: Objects
  readonly policy: PolicyCache
  readonly tokens: StaticTokens
  readonly authorizer: Authorizer
  /** For whom tokens are valid that are sent to this server. */
  readonly audiences: readonly string[]
  readonly limits: Limits
  readonly browserHeaders: BrowserHeaders
  /** Undefined where nothing is recorded. */
  readonly audit: AuditLog | undefined
  readonly metrics: ServerMetrics
  readonly healthMetrics: HealthMetrics
  readonly discovery: Discovery
  readonly health: readonly HealthCheck[]
  /** Paths beside discovery that / lists. */
  readonly otherPaths: readonly string[]
  readonly build: BuildInfo
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
  readonly target: Target
  /** Undefined where the request is not recorded. */
  readonly audit: RequestAudit | undefined
}
