/**
 * The API server: the routes, and the filters with the names and in the order of DefaultBuildHandlerChain of k8s.io/apiserver.
 */

import type { Handler } from 'hono'
import { HonoBase } from 'hono/hono-base'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import type { Authorizer } from '../auth/authorizer.ts'
import type { ClusterAddresses } from '../clusters/cluster-path.ts'
import type { PolicyCache } from '../clusters/policy.ts'
import { administrationPrefix } from './administration/prefix.ts'
import { RequestCounts } from './administration/request-counts.ts'
import { administrationHandler } from './administration/serve.ts'
import { Aggregation, type AggregationServices } from './aggregation/proxy.ts'
import type { AuditLog } from './audit/log.ts'
import type { Authentication } from './authentication.ts'
import type { ResourceServices } from './context.ts'
import { type DocumentServices, documentHandlers } from './documents.ts'
import { withAudit } from './filters/audit.ts'
import { withAuditInit } from './filters/audit-init.ts'
import { withAuthentication } from './filters/authentication.ts'
import { withAuthorization } from './filters/authorization.ts'
import { withClusterLimits } from './filters/cluster-limits.ts'
import { type AllowedOrigins, withCORS } from './filters/cors.ts'
import { withCrossOriginProtection } from './filters/cross-origin-protection.ts'
import type { Filter, HttpEnvironment } from './filters/filter.ts'
import { respondTo, withHeadResponse } from './filters/head.ts'
import type { HeaderLines } from './filters/header-lines.ts'
import { withHSTS } from './filters/hsts.ts'
import { withImpersonation } from './filters/impersonation.ts'
import { withPanicRecovery } from './filters/panic-recovery.ts'
import { withPast } from './filters/past.ts'
import { withPolicy } from './filters/policy.ts'
import { withPriorityAndFairness } from './filters/priority-and-fairness.ts'
import { withPublicPage } from './filters/public-page.ts'
import { withRequestDeadline } from './filters/request-deadline.ts'
import { withRequestInfo } from './filters/request-info.ts'
import { withRequestMetrics } from './filters/request-metrics.ts'
import { withRequestReceivedTimestamp } from './filters/request-received-timestamp.ts'
import { withTimeoutForNonLongRunningRequests } from './filters/timeout.ts'
import { withWaitGroup } from './filters/wait-group.ts'
import { withWarningRecorder } from './filters/warning-recorder.ts'
import type { Limits } from './limits/rate-limit.ts'
import type { ServerMetrics } from './metrics/server-metrics.ts'
import { onError } from './on-error.ts'
import { routedPath } from './path.ts'
import { resourceHandler } from './resources.ts'
import { issuerPaths } from './service-account-issuer.ts'
import type { TestingFilters } from './testing/filters.ts'

/** The services that filters use. */
export interface FilterServices {
  readonly addresses: ClusterAddresses
  readonly authentication: Authentication
  readonly authorizer: Authorizer
  readonly policy: PolicyCache
  readonly limits: Limits
  /** Undefined if nobody can tell the lines of repeated headers. */
  readonly headerLines: HeaderLines | undefined
  /** Undefined if there is no audit log. */
  readonly audit: AuditLog | undefined
  /** Undefined if no other origin may read responses. */
  readonly allowedOrigins: AllowedOrigins | undefined
  /** The directives of the header, separated by commas; '' for no header. */
  readonly strictTransportSecurity: string
  readonly metrics: ServerMetrics
  /** `host:port` of the deployment for the page at /; undefined if there is no page. */
  readonly publicPage: string | undefined
  /** Whether the cluster is a named one, which may have limits. */
  readonly isNamed: boolean
  /** The clock of the cluster: milliseconds since the epoch. */
  readonly now: () => number
  /** Undefined unless this is a server for tests. */
  readonly testing: TestingFilters | undefined
}

/** The API server of one cluster. */
export type ApiServer = HonoBase<HttpEnvironment>

/** The services of an API server. Each handler takes those that it uses. */
export interface Services extends FilterServices, DocumentServices, ResourceServices, AggregationServices {
  /** The paths by which a test controls its clusters; undefined unless this is the default cluster of a server for tests. */
  readonly testingPaths: ApiServer | undefined
}

/**
 * Returns the filters, outermost first. Filters that the deployment does not configure are left out. WithPolicy, WithPublicPage,
 * WithCrossOriginProtection, WithPast and WithClusterLimits have no counterparts in kube-apiserver, whose rules are always in
 * memory, which takes no credentials that a browser adds to requests of other pages, and which serves one cluster.
 */
function handlerChain(services: FilterServices): Filter[] {
  const {
    authentication,
    authorizer,
    headerLines,
    policy,
    limits,
    audit,
    allowedOrigins,
    strictTransportSecurity,
    addresses,
    metrics,
    publicPage,
    isNamed,
    now,
    testing,
  } = services
  const clusterLimits = isNamed ? withClusterLimits(policy) : undefined
  return [
    withHeadResponse,
    withAuditInit(audit),
    withPanicRecovery,
    withRequestReceivedTimestamp,
    withRequestInfo(addresses),
    ...(testing === undefined ? [] : [testing.outer]),
    withRequestMetrics(metrics.requests),
    ...(strictTransportSecurity === '' ? [] : [withHSTS(strictTransportSecurity)]),
    withWaitGroup,
    withRequestDeadline,
    withTimeoutForNonLongRunningRequests(metrics.requests),
    withWarningRecorder,
    ...(allowedOrigins === undefined ? [] : [withCORS(allowedOrigins)]),
    ...(publicPage === undefined ? [] : [withPublicPage(publicPage)]),
    withPolicy(policy),
    withAuthentication(authentication, limits, metrics),
    ...(audit === undefined ? [] : [withAudit(audit)]),
    withCrossOriginProtection,
    withImpersonation(authorizer, headerLines),
    ...(clusterLimits === undefined ? [] : [clusterLimits.ofClients]),
    withPriorityAndFairness(limits, policy, metrics),
    withAuthorization(authorizer, metrics),
    ...(clusterLimits === undefined ? [] : [clusterLimits.ofStrangers]),
    withPast(now),
    ...(testing === undefined ? [] : [testing.inner]),
  ]
}

/** Returns a handler that is made for the first request. */
function whenUsed(make: () => Handler<HttpEnvironment>): Handler<HttpEnvironment> {
  let made: Handler<HttpEnvironment> | undefined
  return (c, next) => {
    made ??= make()
    return made(c, next)
  }
}

/**
 * Makes the API server of one cluster. Its routes are coarse: verbs/route.ts finds the handler of a resource, because
 * subresources, methods and custom resources are data.
 * @example
 * const response = await respondTo(apiServer(services), request, context)
 */
export function apiServer(services: Services): ApiServer {
  const { addresses, client, served, testingPaths } = services
  const app = new HonoBase<HttpEnvironment>({ router: new RegExpRouter(), getPath: routedPath(addresses) })
  app.use(...handlerChain(services))
  const { health, metrics, statusz, flagz, version, openApi, issuer, discovery, rootPaths, notFound } = documentHandlers(services)
  const aggregation = new Aggregation(services)
  const requestCounts = new RequestCounts(client)
  const resource = resourceHandler(client, services, services.metrics, requestCounts)
  const respond = (request: Request, context: ExecutionContext) => respondTo(app, request, context)
  app.all('/healthz/*', health).all('/livez/*', health).all('/readyz/*', health)
  app.all('/metrics/*', metrics).all('/statusz', statusz).all('/flagz', flagz).all('/version', version)
  app.all('/openapi/v2', openApi).all('/openapi/v3/*', aggregation.openApi, openApi)
  for (const path of issuerPaths) app.all(path, issuer).all(`${path}/`, issuer)
  const administration = { client, requestCounts, respond, served }
  app.all(
    `${administrationPrefix}/*`,
    whenUsed(() => administrationHandler(administration)),
  )
  app.all('/', rootPaths).all('/index.html', rootPaths)
  app.all('/api', discovery).all('/api/:version', discovery).all('/api/:version/*', resource)
  app.all('/apis', discovery).all('/apis/:group', discovery)
  app.all('/apis/:group/:version', aggregation.early, discovery)
  app.all('/apis/:group/:version/*', aggregation.early, resource)
  if (testingPaths !== undefined) app.route('/', testingPaths)
  app.notFound(async (c) => (await aggregation.late(c)) ?? notFound(c))
  app.onError(onError)
  return app
}
