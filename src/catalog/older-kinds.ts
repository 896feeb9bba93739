/**
 * Built-in kinds as an older release has them. Its clients neither see nor set fields that came later, and kube-apiserver of that
 * release would drop them. Stored objects keep them, so that a cluster can move between releases without loss.
 */
import { TypeResolver } from '../schema/resolve.ts'
import type { Release, SubresourceTable } from '../schema/tables.ts'
import { BuiltInCodec } from './built-in-codec.ts'
import { sameFields } from './conversion/same-fields.ts'
import { versionConversion } from './conversion/version-conversion.ts'
import type { Conversion, Kind, KindFacts } from './kind.ts'
import { compareReleases, newestRelease, releaseText } from './lifecycle.ts'
import { tablesIn } from './older-types.ts'

const resolvers = new Map<number, TypeResolver>()

function resolverOf(release: Release): TypeResolver {
  const found = resolvers.get(release[1]) ?? new TypeResolver(tablesIn(release))
  resolvers.set(release[1], found)
  return found
}

/** Returns the conversion that first adds or drops fields, and then converts between the versions. */
function through(fields: Conversion, versions: Conversion | undefined): Conversion {
  if (versions === undefined) return fields
  return {
    toStorage: (object) => versions.toStorage(fields.toStorage(object)),
    fromStorage: (object) => fields.fromStorage(versions.fromStorage(object)),
  }
}

function withSubresources(kind: Kind, subresources: Kind['subresources']): Kind {
  const older: Kind = { ...kind, subresources, asStored: () => older }
  return older
}

function makeOlder(kind: Kind, release: Release): Kind {
  const table = [...tablesIn(release).values()].find(({ group, version }) => group === kind.group && version === kind.version)
  const resource = table?.resources.find((each) => each.resource === kind.resource)
  if (table === undefined || resource === undefined) return kind
  const type = resolverOf(release).resolve(`${table.package}/${table.version}.${kind.kind}`)
  const subresources = new Map((resource.subresources ?? []).map((each): [string, SubresourceTable] => [each.name, each]))
  if (sameFields(type, kind.type))
    return subresources.size === kind.subresources.size ? kind : withSubresources(kind, subresources)
  const facts: KindFacts = {
    ...kind,
    type,
    subresources,
    conversion: through(
      versionConversion(
        () => facts,
        () => kind,
      ),
      kind.conversion,
    ),
    older: { release: releaseText(release), whole: kind },
  }
  const older: Kind = Object.assign(facts, { codec: new BuiltInCodec(facts), asStored: () => older })
  return older
}

const made = new WeakMap<Kind, Map<number, Kind>>()

/**
 * Returns a kind as a release has it: the kind itself if it is a custom one, or if nothing was added to it since. The same
 * instance for the same release.
 */
export function kindIn(kind: Kind, release: Release): Kind {
  if (compareReleases(release, newestRelease) >= 0 || kind.definition !== undefined) return kind
  const ofKind = made.get(kind) ?? new Map<number, Kind>()
  made.set(kind, ofKind)
  const found = ofKind.get(release[1]) ?? makeOlder(kind, release)
  ofKind.set(release[1], found)
  return found
}
