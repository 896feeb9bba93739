/**
 * Changes of EndpointSlices: zone and node of an endpoint were part of its topology. Follows
 * k8s.io/kubernetes/pkg/apis/discovery/v1beta1/conversion.go, and v1alpha1/conversion.go of 1.20.
 */
import type { JsonObject } from '../../go/json-value.ts'
import { type Changes, objectAt, objectsAt, sortedMap } from './fields.ts'

const zoneLabel = 'topology.kubernetes.io/zone'
const hostnameLabel = 'kubernetes.io/hostname'

function divideTopology(endpoint: JsonObject): void {
  const topology = objectAt(endpoint, 'topology')
  delete endpoint.topology
  if (topology === undefined) return
  const { [zoneLabel]: zone, ...rest } = topology
  if (zone !== undefined) endpoint.zone = zone
  if (endpoint.nodeName !== undefined && rest[hostnameLabel] === endpoint.nodeName) delete rest[hostnameLabel]
  if (Object.keys(rest).length > 0) endpoint.deprecatedTopology = rest
}

function uniteTopology(endpoint: JsonObject): void {
  const deprecated = objectAt(endpoint, 'deprecatedTopology')
  const { zone, nodeName } = endpoint
  if (deprecated === undefined && zone === undefined && nodeName === undefined) return
  const topology: JsonObject = { ...deprecated }
  if (zone !== undefined) topology[zoneLabel] = zone
  if (nodeName !== undefined && (topology[hostnameLabel] ?? '') === '') topology[hostnameLabel] = nodeName
  endpoint.topology = sortedMap(Object.entries(topology).map(([key, value]) => [key, value ?? null]))
}

/** The changes of discovery.k8s.io/v1alpha1 and v1beta1. */
export const endpointSliceChanges: Changes = {
  toStorage: (object) => objectsAt(object, 'endpoints').forEach(divideTopology),
  fromStorage: (object) => objectsAt(object, 'endpoints').forEach(uniteTopology),
}
