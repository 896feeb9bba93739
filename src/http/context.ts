/** What the handlers of a request work with. */
import type { Authorizer } from '../auth/authorizer.ts'
import type { AccountCache } from '../auth/service-accounts/account-cache.ts'
import type { TokenKeys } from '../auth/service-accounts/token-keys.ts'
import type { Kind } from '../catalog/kind.ts'
import type { Objects } from '../clusters/objects.ts'
import type { Target } from '../clusters/operation.ts'
import type { PolicyCache } from '../clusters/policy.ts'
import type { User } from '../meta/user.ts'
import type { Authentication } from './chain/authentication.ts'
import type { ResourceRequest } from './chain/request-info.ts'
import type { Discovery } from './discovery/discovery.ts'
import type { HealthCheck } from './health.ts'
import type { BuildInfo } from './version.ts'

/** A deployment, wired: the same for all requests of an isolate. */
export interface Server {
  readonly cluster: string
  readonly objects: Objects
  readonly policy: PolicyCache
  readonly authentication: Authentication
  readonly authorizer: Authorizer
  /** The ServiceAccounts that new Pods are under. */
  readonly accounts: AccountCache
  /** Issues the tokens of ServiceAccounts, under this name. */
  readonly issuer: { readonly url: string; readonly keys: TokenKeys }
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
}
