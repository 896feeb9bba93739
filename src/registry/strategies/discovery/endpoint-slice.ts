/** The strategy of EndpointSlices: a change of labels increments the generation, and requests of v1 drop the topology of v1beta1. */
import type { Endpoint, EndpointSlice } from '../../../catalog/generated/types/discovery.v1.ts'
import { validateEndpointSlice, validateEndpointSliceUpdate } from '../../../catalog/validation/discovery/endpoint-slice.ts'
import { isDns1123Subdomain } from '../../../meta/names.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { withValidation } from '../with-validation.ts'

const hostname = 'kubernetes.io/hostname'

/** Returns the node in deprecatedTopology. It becomes nodeName only if the old object had it in an endpoint. */
const nodeOf = ({ deprecatedTopology }: Endpoint): string | undefined => deprecatedTopology?.[hostname]

function dropTopology({ endpoints }: EndpointSlice, old: EndpointSlice | undefined): void {
  const known = new Set((old?.endpoints ?? []).map(nodeOf))
  for (const endpoint of endpoints ?? []) {
    const node = nodeOf(endpoint)
    if (endpoint.nodeName === undefined && node !== undefined && known.has(node) && isDns1123Subdomain(node).length === 0) {
      endpoint.nodeName = node
    }
    delete endpoint.deprecatedTopology
  }
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

export const endpointSliceHooks: StrategyHooks = {
  ...withValidation(validateEndpointSlice, validateEndpointSliceUpdate),
  prepareForCreate(object, { kind }) {
    if (kind.version === 'v1') dropTopology(object as EndpointSlice, undefined)
  },
  prepareForUpdate(object, old, { kind }) {
    const { metadata } = object
    const [slice, before] = [object as EndpointSlice, old as EndpointSlice]
    const isChanged = !same(slice.endpoints, before.endpoints)
    if (isChanged || !same(metadata.labels, old.metadata.labels)) {
      metadata.generation = (old.metadata.generation ?? 0) + 1
    }
    if (isChanged && kind.version === 'v1') dropTopology(slice, before)
  },
}
