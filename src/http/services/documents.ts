/** The services that the handlers of documents alone use. */
import { servedVersions } from '../../catalog/served-versions.ts'
import type { Asker } from '../../clusters/policy.ts'
import { flagValues } from '../../config/settings.ts'
import { OtherOpenApi } from '../aggregation/open-api.ts'
import { CurrentDiscovery } from '../discovery/custom.ts'
import { healthPaths } from '../health.ts'
import { HealthMetrics } from '../metrics/health-metrics.ts'
import { metricsPaths } from '../metrics/serve.ts'
import { CustomVersions } from '../openapi/definitions.ts'
import { openApiPaths } from '../openapi/paths.ts'
import { issuerPaths } from '../service-account-issuer.ts'
import { sourceBuild } from '../version.ts'
import { pagePaths } from '../zpages/statusz.ts'
import type { ServerConfig, SharedServices } from './shared.ts'

/** Makes the services of documents. */
export function documentServices(
  { policy, isDefault, served, customKinds, health, backends, userTokens }: SharedServices,
  { environment, settings }: ServerConfig,
) {
  // The options and the process of the deployment do not concern the administrators of named clusters.
  const flags = isDefault ? flagValues(environment as unknown as Readonly<Record<string, unknown>>) : undefined
  return {
    healthMetrics: new HealthMetrics(),
    livezGracePeriod: settings.livezGracePeriod,
    metricsOptions: { hidden: settings.hiddenMetrics, disabled: settings.disabledMetrics },
    process: isDefault ? environment.PROCESS : undefined,
    discovery: new CurrentDiscovery(
      ({ cluster: facts }) => servedVersions(served.of(facts)),
      (asker) => policy.refresh(asker),
    ),
    customVersions: new CustomVersions(customKinds),
    apiServices: async (asker: Asker) => (await policy.refresh(asker)).apiServices,
    otherOpenApi: new OtherOpenApi({ backends, tokens: userTokens }),
    build: sourceBuild,
    flags,
    otherPaths: [...healthPaths(health), ...openApiPaths, ...issuerPaths, ...metricsPaths, ...pagePaths(flags), '/version'],
    serverAddress: settings.serverAddress,
  }
}
