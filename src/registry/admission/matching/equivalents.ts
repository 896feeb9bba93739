/** The resources and versions in which the same stored objects are served. Follows EquivalentResourceRegistry. */
import type { Kind, StorageLocation } from '../../../catalog/kind.ts'
import { allKinds } from '../../../catalog/scheme.ts'

/** A group, version and kind. */
export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** A resource in one version, with the kind of the bodies of the resource or subresource. */
export interface EquivalentResource {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly kind: GroupVersionKind
}

const scale: GroupVersionKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' }

/** Returns the resource of a kind, with the kind of the subresource's bodies. */
export function resourceOf({ group, version, resource, kind, subresources }: Kind, subresource: string): EquivalentResource {
  return { group, version, resource, kind: { group, version, kind, ...subresources.get(subresource)?.kind } }
}

let collections: ReadonlyMap<string, readonly Kind[]> | undefined

/** Returns the built-in kinds whose objects are in one collection of kube-apiserver. */
function builtInKinds({ etcdPrefix }: StorageLocation): readonly Kind[] {
  collections ??= Map.groupBy(allKinds(), ({ storage }) => storage.etcdPrefix)
  return collections.get(etcdPrefix) ?? []
}

/**
 * Returns the other versions and resources of the same stored objects that have the subresource, in the order in which
 * kube-apiserver registers them.
 */
export function equivalentResources(kind: Kind, subresource: string): readonly EquivalentResource[] {
  const { definition, group, version, resource } = kind
  if (definition === undefined) {
    const others = builtInKinds(kind.storage).filter(
      (each) => each !== kind && hasSubresource([...each.subresources.keys()], subresource),
    )
    return others.map((each) => resourceOf(each, subresource))
  }
  const others = definition.versions.filter(
    ({ name, subresources }) => name !== version && hasSubresource(subresources, subresource),
  )
  return others.map(({ name }) => {
    const body = subresource === 'scale' ? scale : { group, version: name, kind: kind.kind }
    return { group, version: name, resource, kind: body }
  })
}

const hasSubresource = (subresources: readonly string[], subresource: string): boolean =>
  subresource === '' || subresources.includes(subresource)
