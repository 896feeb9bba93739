/** The services that filters alone use. */
import { configuredLog } from '../audit/configured-log.ts'
import { testingFilters } from '../testing/filters.ts'
import type { ServerConfig, SharedServices } from './shared.ts'

/** Makes the services of filters. */
export function filterServices({ cluster, isDefault, metrics }: SharedServices, config: ServerConfig) {
  const { environment, settings, addresses, underTest } = config
  const { allowedOrigins, strictTransportSecurity } = settings
  return {
    addresses,
    headerLines: environment.HEADER_LINES,
    audit: configuredLog(settings, environment, metrics),
    allowedOrigins,
    strictTransportSecurity,
    publicPage: settings.publicPage && isDefault ? settings.serverAddress : undefined,
    isNamed: !isDefault,
    testing: underTest && testingFilters(underTest.of(cluster)),
  }
}
