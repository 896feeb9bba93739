/** The admission plugins that are disabled by default. */
import type { AdmissionPlugin } from './plugin.ts'
import { alwaysDeny } from './plugins/always-deny.ts'
import { alwaysPullImages } from './plugins/always-pull-images.ts'
import { denyServiceExternalIps } from './plugins/deny-service-external-ips.ts'
import { eventRateLimit } from './plugins/event-rate-limit.ts'
import { extendedResourceToleration } from './plugins/extended-resource-toleration.ts'
import { imagePolicyWebhook } from './plugins/image-policy-webhook.ts'
import { limitPodHardAntiAffinityTopology } from './plugins/limit-pod-hard-anti-affinity-topology.ts'
import { namespaceAutoProvision } from './plugins/namespace-auto-provision.ts'
import { namespaceExists } from './plugins/namespace-exists.ts'
import { nodeRestriction } from './plugins/node-restriction/plugin.ts'
import { ownerReferencesPermissionEnforcement } from './plugins/owner-references-permission-enforcement.ts'
import { podNodeSelector } from './plugins/pod-node-selector.ts'
import { podTolerationRestriction } from './plugins/pod-toleration-restriction.ts'

/** In no particular order: the settings order the plugins. AlwaysAdmit does nothing. */
export const optionalPlugins: readonly AdmissionPlugin[] = [
  alwaysDeny,
  alwaysPullImages,
  denyServiceExternalIps,
  eventRateLimit,
  extendedResourceToleration,
  imagePolicyWebhook,
  limitPodHardAntiAffinityTopology,
  namespaceAutoProvision,
  namespaceExists,
  nodeRestriction,
  ownerReferencesPermissionEnforcement,
  podNodeSelector,
  podTolerationRestriction,
]
