/** The handlers of all non-resource paths: the Worker itself makes these documents. */

import type { Handler } from 'hono'
import type { ApiServices } from '../clusters/api-services.ts'
import type { ClusterAddress } from '../clusters/cluster-path.ts'
import type { CollectionClient } from '../clusters/collection-client.ts'
import type { Asker } from '../clusters/policy.ts'
import type { MetricsOptions } from '../config/metrics-options.ts'
import type { OtherOpenApi } from './aggregation/open-api.ts'
import type { CurrentDiscovery } from './discovery/custom.ts'
import { routeNotFound } from './discovery/not-found.ts'
import { serveRootPaths } from './discovery/root-paths.ts'
import { serveDiscovery } from './discovery/serve.ts'
import type { HttpEnvironment } from './filters/filter.ts'
import { askerOf } from './filters/policy.ts'
import { type HealthCheck, serveHealth } from './health.ts'
import type { HealthMetrics } from './metrics/health-metrics.ts'
import { serveMetrics } from './metrics/serve.ts'
import type { ServerMetrics } from './metrics/server-metrics.ts'
import type { CustomVersions } from './openapi/definitions.ts'
import { serveOpenApi } from './openapi/serve.ts'
import type { ServedResources } from './served-resources.ts'
import type { ProcessFiles } from './server-process.ts'
import { type IssuerKeys, serveServiceAccountIssuer } from './service-account-issuer.ts'
import { type BuildInfo, serveVersionInfo } from './version.ts'
import { type ShownFlags, serveFlagz } from './zpages/flagz.ts'
import { serveStatusz } from './zpages/statusz.ts'

/** The sources of the documents. */
export interface DocumentServices {
  readonly client: CollectionClient
  readonly health: readonly HealthCheck[]
  readonly healthMetrics: HealthMetrics
  /** The milliseconds after the start for which /livez succeeds in any case. */
  readonly livezGracePeriod: number
  readonly metrics: ServerMetrics
  readonly metricsOptions: MetricsOptions
  /** Undefined if nothing is known about the server's process. */
  readonly process: ProcessFiles | undefined
  readonly served: ServedResources
  readonly discovery: CurrentDiscovery
  readonly customVersions: CustomVersions
  /** Returns the current APIServices of other servers. */
  readonly apiServices: (asker: Asker) => Promise<ApiServices>
  /** The OpenAPI 2 documents of other servers. */
  readonly otherOpenApi: Pick<OtherOpenApi, 'current'>
  readonly issuer: IssuerKeys
  readonly build: BuildInfo
  readonly flags: ShownFlags
  /** The paths in the list at / besides those of discovery. */
  readonly otherPaths: readonly string[]
  /** The `host:port` at which clients reach the server; '' if only the request's Host is known. */
  readonly serverAddress: string
}

type Answer = Response | undefined | Promise<Response | undefined>

/** Makes a handler that serves documents. Routes are coarse: a path below a route may have no document, which is a 404. */
const document =
  (serve: (request: Request, path: string, asker: Asker, address: ClusterAddress) => Answer): Handler<HttpEnvironment> =>
  async (c) =>
    (await serve(c.req.raw, c.get('info').path, askerOf(c), c.get('address'))) ?? c.notFound()

/** Makes the handlers. They throw ApiError 405, 406 and 415; `notFound` serves paths without a document. */
export function documentHandlers(services: DocumentServices) {
  const {
    health,
    livezGracePeriod,
    metrics,
    served,
    discovery,
    customVersions,
    apiServices,
    otherOpenApi,
    issuer,
    build,
    flags,
    otherPaths,
    serverAddress,
  } = services
  return {
    health: document((request, path) => serveHealth(request, path, health, metrics.startedAt + livezGracePeriod)),
    metrics: document(async (request, path, asker) => {
      return serveMetrics(request, path, { ...services, emulated: await served.current(asker) })
    }),
    statusz: document(async (request, path, asker) =>
      serveStatusz(request, path, { ...services, emulated: (await served.current(asker)).release }, metrics.startedAt),
    ),
    flagz: document((request, path) => serveFlagz(request, path, flags)),
    version: document(async (request, path, asker) => serveVersionInfo(request, path, build, await served.current(asker))),
    openApi: document((request, path, asker, { basePath }) =>
      serveOpenApi(request, path, {
        basePath,
        config: () => served.current(asker),
        custom: () => customVersions.current(asker),
        services: () => apiServices(asker),
        others: async () => otherOpenApi.current(await apiServices(asker)),
      }),
    ),
    issuer: document((request, path, _asker, address) =>
      serveServiceAccountIssuer(request, path, address, issuer, serverAddress),
    ),
    discovery: document(async (request, path, asker) =>
      serveDiscovery(request, path, await discovery.current(asker), serverAddress),
    ),
    rootPaths: document(async (_request, path, asker) => serveRootPaths(path, await discovery.current(asker), otherPaths)),
    notFound: (async (c) =>
      routeNotFound(c.get('info').path, await discovery.current(askerOf(c)))) satisfies Handler<HttpEnvironment>,
  }
}
