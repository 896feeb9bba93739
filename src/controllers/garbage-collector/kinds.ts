/** Kinds as owner references and keys name them. */

import type { Kind } from '../../catalog/kind.ts'
import { allKinds } from '../../catalog/scheme.ts'

let byName: Map<string, Kind> | undefined
let byPrefix: Map<string, Kind> | undefined

/** The kind that an owner reference names; undefined where nothing of that name is served in that version. */
export function kindOfOwner(apiVersion: string, kind: string): Kind | undefined {
  byName ??= new Map([...allKinds()].filter((k) => k.verbs.has('get')).map((k) => [`${k.apiVersion} ${k.kind}`, k]))
  return byName.get(`${apiVersion} ${kind}`)
}

/** The kind, in the version in which it is stored, of the object that has this key. */
export function kindOfKey(key: string): Kind | undefined {
  byPrefix ??= new Map([...allKinds()].filter((k) => k.conversion === undefined).map((k) => [k.storage.prefix, k]))
  return byPrefix.get(prefixOfKey(key))
}

/** `<resource>[.<group>]`: the collection of a key. */
export function prefixOfKey(key: string): string {
  return key.slice(0, key.indexOf('/'))
}

/** What a key says of its object besides the kind. */
export function placeInKind(kind: Kind, key: string): { readonly namespace: string; readonly name: string } {
  const rest = key.slice(kind.storage.prefix.length + 1)
  const slash = kind.namespaced ? rest.indexOf('/') : -1
  return { namespace: rest.slice(0, Math.max(slash, 0)), name: rest.slice(slash + 1) }
}
