/** Finds kinds by owner references and by storage keys. */

import type { Kind } from '../../catalog/kind.ts'
import type { ResourceConfig } from '../../catalog/resource-config.ts'
import { allKinds, unservedKinds } from '../../catalog/scheme.ts'
import { isServedKind } from '../../catalog/served-versions.ts'

let byName: Map<string, Kind> | undefined
let byPrefix: Map<string, Kind> | undefined

/** Returns the kind of an owner reference; undefined if the cluster serves no such kind in that version. */
export function kindOfOwner(apiVersion: string, kind: string, config: ResourceConfig | undefined): Kind | undefined {
  byName ??= new Map(
    [...unservedKinds(), ...allKinds()].filter((k) => k.verbs.has('get')).map((k) => [`${k.apiVersion} ${k.kind}`, k]),
  )
  const found = byName.get(`${apiVersion} ${kind}`)
  return found === undefined || config === undefined || isServedKind(found, config) ? found : undefined
}

/** Returns the kind, in its storage version, of the object with this key. */
export function kindOfKey(key: string): Kind | undefined {
  byPrefix ??= new Map(
    [...unservedKinds(), ...allKinds()].filter((k) => k.conversion === undefined).map((k) => [k.storage.prefix, k]),
  )
  return byPrefix.get(prefixOfKey(key))
}

/** Returns the collection of a key: `<resource>[.<group>]`. */
export function prefixOfKey(key: string): string {
  return key.slice(0, key.indexOf('/'))
}

/** Returns the namespace and name in a key. */
export function placeInKind(kind: Kind, key: string): { readonly namespace: string; readonly name: string } {
  const rest = key.slice(kind.storage.prefix.length + 1)
  const slash = kind.namespaced ? rest.indexOf('/') : -1
  return { namespace: rest.slice(0, Math.max(slash, 0)), name: rest.slice(slash + 1) }
}
