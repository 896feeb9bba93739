/** EndpointSlices: labels count as content, and the topology of an older version is not taken. */
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { StrategyHooks } from '../../hooks.ts'

interface EndpointSlice extends KubernetesObject {
  endpoints: { deprecatedTopology?: unknown }[] | null
}

const sameTopology = (a: EndpointSlice, b: EndpointSlice): boolean =>
  JSON.stringify((a.endpoints ?? []).map((e) => e.deprecatedTopology)) ===
  JSON.stringify((b.endpoints ?? []).map((e) => e.deprecatedTopology))

function dropTopology({ endpoints }: EndpointSlice): void {
  for (const endpoint of endpoints ?? []) delete endpoint.deprecatedTopology
}

export const endpointSliceHooks: StrategyHooks = {
  prepareForCreate: (object) => dropTopology(object as EndpointSlice),
  prepareForUpdate(object, old) {
    const { metadata } = object
    if (!sameTopology(object as EndpointSlice, old as EndpointSlice)) dropTopology(object as EndpointSlice)
    if (JSON.stringify(metadata.labels) !== JSON.stringify(old.metadata.labels)) {
      metadata.generation = (old.metadata.generation ?? 0) + 1
    }
  },
}
