/** The API server of a cluster with its services. */
import { CollectionClient } from '../clusters/collection-client.ts'
import type { PolicyCache } from '../clusters/policy.ts'
import type { User } from '../meta/user.ts'
import { type ApiServer, apiServer, type Services } from './app.ts'
import { controllerClient } from './controller-client.ts'
import { documentServices } from './services/documents.ts'
import { filterServices } from './services/filters.ts'
import { resourceServices } from './services/resources.ts'
import { type ServerConfig, type ServerOverrides, sharedServices } from './services/shared.ts'
import { testingApp } from './testing/clusters.ts'

/** The API server of a cluster, and the services that others use too. */
export interface ClusterServer {
  readonly app: ApiServer
  readonly client: CollectionClient
  readonly policy: PolicyCache
  /** Returns the client with which a controller acts as a user. */
  readonly clientFor: (user: User) => CollectionClient
}

/** Returns the paths by which a test controls its clusters; undefined unless this is the default cluster of a server for tests. */
function testingPaths(isDefault: boolean, { environment, settings, underTest, forget }: ServerConfig): ApiServer | undefined {
  if (!isDefault || underTest === undefined) return undefined
  const { adminToken, serverAddress, rootCertificate } = settings
  return testingApp({
    clusters: underTest,
    clientOf: (cluster) => new CollectionClient(environment, cluster),
    forget: (cluster) => {
      underTest.forget(cluster)
      forget(cluster)
    },
    adminToken,
    serverAddress,
    rootCertificate,
  })
}

/**
 * Makes the API server of a cluster.
 * @example
 * const { app } = createServer(defaultCluster, config)
 * const response = await respondTo(app, request, context)
 */
export function createServer(cluster: string, config: ServerConfig, overrides: ServerOverrides = {}): ClusterServer {
  const shared = sharedServices(cluster, config, overrides)
  const { client, policy, isDefault } = shared
  const clientFor = (user: User): CollectionClient => controllerClient(client, services, user)
  const services: Services = {
    ...shared,
    ...filterServices(shared, config),
    ...documentServices(shared, config),
    ...resourceServices(shared, config, clientFor),
    testingPaths: testingPaths(isDefault, config),
  }
  return { app: apiServer(services), client, policy, clientFor }
}
