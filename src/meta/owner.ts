/** The owners that an object refers to, for the owner index of the garbage collector. */
import type { ObjectMeta, OwnerReference } from './object-meta.ts'

/**
 * An owner in the words of a reference. Dependents may give one uid different names, kinds or namespaces; only one of them can be
 * right.
 */
export interface Owner {
  readonly uid: string
  readonly apiVersion: string
  readonly kind: string
  /** The namespace of the dependent: an owner is in the same namespace or cluster-scoped. */
  readonly namespace: string
  readonly name: string
}

/** Returns the owner as a text that begins with its uid, so that all owners with one uid are adjacent in an index. */
export function ownerText({ uid, apiVersion, kind, namespace, name }: Owner): string {
  return JSON.stringify([uid, apiVersion, kind, namespace, name])
}

/** Returns the owner for a text of ownerText. */
export function ownerOfText(text: string): Owner {
  const [uid = '', apiVersion = '', kind = '', namespace = '', name = ''] = JSON.parse(text) as string[]
  return { uid, apiVersion, kind, namespace, name }
}

/** Returns the range of all texts with a uid. */
export function ownerRange(uid: string): { readonly from: string; readonly to: string } {
  const start = JSON.stringify([uid]).slice(0, -1)
  // `-` is the next character after the comma.
  return { from: `${start},`, to: `${start}-` }
}

/** Returns the owner for a reference in an object of this namespace. */
export function ownerOf({ uid, apiVersion, kind, name }: OwnerReference, namespace: string): Owner {
  return { uid, apiVersion, kind, namespace, name }
}

/** Returns the owners of an object as texts, each with whether a reference has blockOwnerDeletion. */
export function ownersOf({ ownerReferences = [], namespace = '' }: ObjectMeta): Map<string, boolean> {
  const owners = new Map<string, boolean>()
  for (const reference of ownerReferences) {
    const text = ownerText(ownerOf(reference, namespace))
    owners.set(text, (owners.get(text) ?? false) || reference.blockOwnerDeletion === true)
  }
  return owners
}
