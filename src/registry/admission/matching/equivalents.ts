/** The resources and versions in which the same stored objects are served. Follows EquivalentResourceRegistry. */
import type { Kind } from '../../../catalog/kind.ts'
import type { ResourceConfig } from '../../../catalog/resource-config.ts'
import { allKinds, unservedKinds } from '../../../catalog/scheme.ts'
import type { AdmissionConfiguration } from '../../../clusters/admission-configuration.ts'
import { resourceConfigOf, resourceConfigOfText } from '../../../config/emulation.ts'

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

type Collections = ReadonlyMap<string, readonly Kind[]>

/** The built-in kinds by the collection of kube-apiserver that their objects are in, for each resource config. */
const collections = new WeakMap<ResourceConfig, Collections>()

function collectionsOf(config: ResourceConfig): Collections {
  const found = collections.get(config)
  if (found !== undefined) return found
  const kinds = config.isDefault ? allKinds() : [...allKinds(), ...unservedKinds()].filter((kind) => config.isServed(kind))
  const made = Map.groupBy(kinds, ({ storage }) => storage.etcdPrefix)
  collections.set(config, made)
  return made
}

/** Finds the other versions and resources of the same stored objects. */
export type Equivalents = (kind: Kind, subresource: string) => readonly EquivalentResource[]

/** Returns the equivalents among the resources that a cluster serves. */
export function equivalentsIn({ emulation = '' }: Pick<AdmissionConfiguration, 'emulation'>): Equivalents {
  const config = resourceConfigOfText(emulation)
  return (kind, subresource) => equivalentResources(kind, subresource, config)
}

/**
 * Returns the other versions and resources of the same stored objects that have the subresource, in the order in which
 * kube-apiserver registers them.
 */
export function equivalentResources(
  kind: Kind,
  subresource: string,
  config: ResourceConfig = resourceConfigOf(''),
): readonly EquivalentResource[] {
  const { definition, group, version, resource } = kind
  if (definition === undefined) {
    const others = (collectionsOf(config).get(kind.storage.etcdPrefix) ?? []).filter(
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
