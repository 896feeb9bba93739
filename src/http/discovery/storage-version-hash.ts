/** The storageVersionHash of a resource in discovery. Follows apiserver's storageversionhash.go. */
import type { ServedResource, ServedVersion } from './served-version.ts'

interface Stored {
  readonly group: string
  readonly version: string
}

/** Built-in kinds that kube-apiserver 1.36 does not store in their preferred version. */
const storedElsewhere: ReadonlyMap<string, Stored> = new Map([
  ['events.k8s.io/Event', { group: '', version: 'v1' }],
  ['autoscaling/HorizontalPodAutoscaler', { group: 'autoscaling', version: 'v2' }],
  ['admissionregistration.k8s.io/MutatingAdmissionPolicy', { group: 'admissionregistration.k8s.io', version: 'v1beta1' }],
  ['admissionregistration.k8s.io/MutatingAdmissionPolicyBinding', { group: 'admissionregistration.k8s.io', version: 'v1beta1' }],
  ['apiextensions.k8s.io/CustomResourceDefinition', { group: 'apiextensions.k8s.io', version: 'v1beta1' }],
])

/**
 * Returns the hash of a resource's storage version, by which clients notice that it changed. Undefined for resources that are not
 * stored, such as reviews and bindings.
 */
export async function storageVersionHash(of: ServedVersion, resource: ServedResource): Promise<string | undefined> {
  if (!resource.verbs.includes('watch')) return undefined
  const own = { group: of.group, version: resource.storageVersion ?? of.version }
  const { group, version } = (of.custom ? undefined : storedElsewhere.get(`${of.group}/${resource.kind}`)) ?? own
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${group}/${version}/${resource.kind}`))
  return btoa(String.fromCharCode(...new Uint8Array(digest, 0, 8)))
}
