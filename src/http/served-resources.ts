/** The resources that a cluster serves: those of its emulated release, which its administrators can change at any time. */
import type { ResourceConfig } from '../catalog/resource-config.ts'
import { kindOf } from '../catalog/scheme.ts'
import type { Asker, PolicyCache } from '../clusters/policy.ts'
import type { ClusterFacts } from '../clusters/policy-snapshot.ts'
import type { ResourceRequest } from './request-info.ts'

/** The resource config of one cluster. */
export interface ServedResources {
  /** Returns the config for a state of the cluster. */
  of(cluster: ClusterFacts): ResourceConfig
  /** Returns the config, which may be one second old. */
  current(asker: Asker): ResourceConfig | Promise<ResourceConfig>
  /** Returns the config for a request. Only a config that was read after the request arrived says that a resource is not served. */
  for(request: ResourceRequest, asker: Asker): ResourceConfig | Promise<ResourceConfig>
}

/** Returns the resources of a cluster whose config is a setting. */
export function settledResources(config: ResourceConfig): ServedResources {
  const constant = (): ResourceConfig => config
  return { of: constant, current: constant, for: constant }
}

/** Returns the resources of a named cluster, whose config is in its spec. */
export function resourcesOfSpec(policy: PolicyCache, of: (cluster: ClusterFacts) => ResourceConfig): ServedResources {
  const from = ({ cluster }: { readonly cluster: ClusterFacts }): ResourceConfig => of(cluster)
  return {
    of,
    current: (asker) => policy.answer(from, () => true, asker),
    for: (request, asker) => {
      const isBuiltIn = kindOf(request.group, request.version, request.resource) !== undefined
      return policy.answer(from, (config) => !isBuiltIn || config.isServed(request), asker)
    },
  }
}
