/** The context of the handlers of resources. */
import type { Authenticator } from '../auth/authenticator.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import type { AccountCache } from '../auth/service-accounts/account-cache.ts'
import type { Kind } from '../catalog/kind.ts'
import type { CollectionClient } from '../clusters/collection-client.ts'
import type { Target } from '../clusters/operation.ts'
import type { PolicyCache } from '../clusters/policy.ts'
import type { KindCache } from '../crd/kind-cache.ts'
import type { User } from '../meta/user.ts'
import type { RequestAudit } from './audit/request-audit.ts'
import type { HealthCheck } from './health.ts'
import type { ResourceRequest } from './request-info.ts'
import type { IssuerKeys } from './service-account-issuer.ts'

/** Services that handlers of resources use: the same for all requests of a cluster. */
export interface ResourceServices {
  readonly policy: PolicyCache
  readonly customKinds: KindCache
  /** The ServiceAccounts that new Pods are under. */
  readonly accounts: AccountCache
  readonly authorizer: Authorizer
  readonly tokens: Authenticator
  readonly issuer: IssuerKeys
  readonly health: readonly HealthCheck[]
  /** Headers that keep whoever stands between from compressing a watch. */
  readonly watchHeaders: Readonly<Record<string, string>>
}

/** A request for a resource, authorized and found. */
export interface ResourceContext {
  /** Acts for this request: its headers, its deadline, its audit record. */
  readonly client: CollectionClient
  readonly services: ResourceServices
  readonly request: Request
  readonly query: URLSearchParams
  readonly info: ResourceRequest
  readonly user: User
  readonly kind: Kind
  readonly target: Target
  /** Undefined if the request is not recorded. */
  readonly audit: RequestAudit | undefined
}
