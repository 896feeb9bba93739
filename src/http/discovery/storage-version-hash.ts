/** The storageVersionHash of a resource in discovery. Follows apiserver's storageversionhash.go. */
import { kindOf } from '../../catalog/scheme.ts'
import type { ServedResource, ServedVersion } from './served-version.ts'

interface Stored {
  readonly group: string
  readonly version: string
}

/** Built-in kinds that kube-apiserver 1.36 stores in another version than this server, by group and kind. */
const storedElsewhere: ReadonlyMap<string, Stored> = new Map([
  ['admissionregistration.k8s.io/MutatingAdmissionPolicy', { group: 'admissionregistration.k8s.io', version: 'v1beta1' }],
  ['admissionregistration.k8s.io/MutatingAdmissionPolicyBinding', { group: 'admissionregistration.k8s.io', version: 'v1beta1' }],
  ['apiextensions.k8s.io/CustomResourceDefinition', { group: 'apiextensions.k8s.io', version: 'v1beta1' }],
  ['resource.k8s.io/DeviceTaintRule', { group: 'resource.k8s.io', version: 'v1alpha3' }],
])

/** Returns the group version in which a built-in resource is stored: all its versions have the same one. */
function storedIn({ group, version }: ServedVersion, { resource, kind }: ServedResource): Stored {
  return storedElsewhere.get(`${group}/${kind}`) ?? kindOf(group, version, resource)?.storage ?? { group, version }
}

/**
 * Returns the hash of a resource's storage version, by which clients notice that it changed. Undefined for resources that are not
 * stored, such as reviews and bindings.
 */
export async function storageVersionHash(served: ServedVersion, resource: ServedResource): Promise<string | undefined> {
  if (!resource.verbs.includes('watch')) return undefined
  const { group, version } = served.custom
    ? { group: served.group, version: resource.storageVersion ?? served.version }
    : storedIn(served, resource)
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${group}/${version}/${resource.kind}`))
  return btoa(String.fromCharCode(...new Uint8Array(digest, 0, 8)))
}
