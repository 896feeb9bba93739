/**
 * The Service `default/kubernetes`, by which workloads find the server, its Endpoints and its EndpointSlice. Decides their
 * content, and which changes of others are reverted. Pure: the wiring writes them. Follows kubernetesservice.Controller of
 * k8s.io/kubernetes and its endpoint reconcilers.
 */

import type { AdvertisedAddress } from '../../config/settings/readers.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { isIpv6 } from '../../net/ip.ts'

/** The trigger of a reconcile: the server's ports can differ only after a start. */
export type Occasion = 'start' | 'change'

/**
 * Returns the object to write; undefined if the existing one may stay.
 * @param clusterIP the Service's address
 */
export type Reconcile = (
  existing: KubernetesObject | undefined,
  advertised: AdvertisedAddress,
  on: Occasion,
  clusterIP: string,
) => JsonObject | undefined

const metadata = (labels: Record<string, string>): JsonObject => ({ name: 'kubernetes', namespace: 'default', labels })
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const changed = (existing: KubernetesObject, change: JsonObject): JsonObject => ({
  ...(existing as unknown as JsonObject),
  ...change,
})

/** Recreates a missing Service under its address; an existing one may be changed by anyone. */
export const reconcileService: Reconcile = (existing, { port }, _on, clusterIP) => {
  if (existing !== undefined) return undefined
  const ports = [{ name: 'https', protocol: 'TCP', port: 443, targetPort: port }]
  const spec = { type: 'ClusterIP', clusterIP, ipFamilyPolicy: 'SingleStack', sessionAffinity: 'None', ports }
  return { metadata: metadata({ component: 'apiserver', provider: 'kubernetes' }), spec }
}

const skipMirror = { 'endpointslice.kubernetes.io/skip-mirror': 'true' }

interface Endpoints extends KubernetesObject {
  readonly subsets?: readonly JsonObject[]
}

const endpointPorts = ({ port }: AdvertisedAddress): JsonObject[] => [{ name: 'https', port, protocol: 'TCP' }]

/** Restores the server's address always; its ports at a start, or if there is not exactly one subset. */
export const reconcileEndpoints: Reconcile = (existing, advertised, on) => {
  const wanted = { addresses: [{ ip: advertised.ip }], ports: endpointPorts(advertised) }
  if (existing === undefined) return { metadata: metadata(skipMirror), subsets: [wanted] }
  const [subset, ...others] = (existing as Endpoints).subsets ?? []
  const keepsPorts = subset !== undefined && others.length === 0 && on === 'change'
  const subsets = [keepsPorts ? { ...subset, addresses: wanted.addresses } : wanted] as unknown as JsonValue
  const labels = { ...existing.metadata.labels, ...skipMirror }
  if (same((existing as Endpoints).subsets, subsets) && same(existing.metadata.labels, labels)) return undefined
  return changed(existing, { metadata: { ...(existing.metadata as JsonObject), labels }, subsets })
}

/** Restores the whole slice. */
export const reconcileSlice: Reconcile = (existing, advertised) => {
  const labels = { 'kubernetes.io/service-name': 'kubernetes' }
  const wanted: JsonObject = {
    addressType: isIpv6(advertised.ip) ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [advertised.ip], conditions: { ready: true } }],
    ports: endpointPorts(advertised),
  }
  if (existing === undefined) return { metadata: metadata(labels), ...wanted }
  const object = existing as unknown as JsonObject
  const isRight = Object.keys(wanted).every((field) => same(object[field], wanted[field]))
  if (isRight && same(existing.metadata.labels, labels)) return undefined
  return changed(existing, { metadata: { ...(existing.metadata as JsonObject), labels }, ...wanted })
}
