/** The registry of a Durable Object: the parts of the object that requests and controllers work with. */
import { kindOf } from '../catalog/scheme.ts'
import type { CollectionClient } from '../clusters/collection-client.ts'
import { clusterOf, defaultCluster } from '../clusters/placement.ts'
import type { WebhookTransport } from '../clusters/webhooks/transport.ts'
import { readAdmissionSettings } from '../config/admission/settings.ts'
import { readEmulation } from '../config/emulation.ts'
import type { Environment } from '../config/environment.ts'
import { objectSettings } from '../config/settings.ts'
import { AdmissionConfigurations } from '../controllers/admission-configuration.ts'
import type { ObjectUse } from '../controllers/cluster/use.ts'
import { callAdmissionWebhook } from '../registry/admission/webhooks/post-call.ts'
import { namesFrom } from '../registry/name-generator.ts'
import type { Registry } from '../registry/registry.ts'
import { sourcesOf } from '../testing/clusters.ts'

/** The parts of a Durable Object that its registry has. */
interface ObjectRegistryParts extends Required<Pick<Registry, 'store' | 'owners' | 'quotas' | 'metrics' | 'outbox'>> {
  /** The name of the Durable Object. */
  readonly name: string
  readonly environment: Environment
  readonly collections: CollectionClient
  readonly webhooks: WebhookTransport
  /** Returns the kind of a custom resource in this object. */
  readonly customKindOf: Registry['kindOf']
  readonly clusterUse: ObjectUse | undefined
  /** Further options, and others in place of those above. */
  readonly options: Partial<Registry>
}

/** Returns the registry of a Durable Object. */
export function registryOf(parts: ObjectRegistryParts): Registry {
  const { name, environment, store, owners, quotas, metrics, outbox, clusterUse, webhooks, customKindOf } = parts
  const settings = objectSettings(environment)
  const admissionSettings = readAdmissionSettings(environment)
  const sources = sourcesOf(settings, name)
  const configurations = new AdmissionConfigurations(parts.collections)
  return {
    store,
    kindOf: (group, version, resource) => kindOf(group, version, resource) ?? customKindOf(group, version, resource),
    now: sources.now,
    names: namesFrom(sources),
    serviceCidr: settings.serviceCidr,
    owners,
    quotas,
    metrics,
    ...(clusterUse === undefined ? { clusterOwnerLimits: settings.clusterOwnerLimits } : { allowance: clusterUse }),
    outbox,
    admissionConfiguration: (tag) => configurations.get(tag),
    currentAdmission: () => configurations.current(),
    admissionSettings,
    callWebhook: (call, deadline) => callAdmissionWebhook(webhooks, admissionSettings, call, { deadline }),
    ...(clusterOf(name) === defaultCluster && { resourceConfig: () => readEmulation(environment) }),
    ...parts.options,
  }
}
