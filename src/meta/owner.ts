/** The owners that an object names, each with where it is looked for: in the object's own namespace, or in none. */
import type { ObjectMeta, OwnerReference } from './object-meta.ts'

/** An owner as one of its dependents names it. Dependents may name the same uid differently: only one of them can be right. */
export interface Owner {
  readonly uid: string
  readonly apiVersion: string
  readonly kind: string
  /** The dependent's: an owner is in the same namespace or in none. */
  readonly namespace: string
  readonly name: string
}

/** The owner as a text that begins with its uid: all that name one uid stand together in an index. */
export function ownerText({ uid, apiVersion, kind, namespace, name }: Owner): string {
  return JSON.stringify([uid, apiVersion, kind, namespace, name])
}

/** The owner that a text of ownerText names. */
export function ownerOfText(text: string): Owner {
  const [uid = '', apiVersion = '', kind = '', namespace = '', name = ''] = JSON.parse(text) as string[]
  return { uid, apiVersion, kind, namespace, name }
}

/** The bounds of all texts of a uid. */
export function ownerTexts(uid: string): { readonly from: string; readonly to: string } {
  const start = JSON.stringify([uid]).slice(0, -1)
  // `-` is the character after the comma.
  return { from: `${start},`, to: `${start}-` }
}

/** The owner that a reference of an object in this namespace names. */
export function ownerOf({ uid, apiVersion, kind, name }: OwnerReference, namespace: string): Owner {
  return { uid, apiVersion, kind, namespace, name }
}

/** The owners of an object by their texts, each with whether a reference asks to block its deletion. */
export function ownersOf({ ownerReferences = [], namespace = '' }: ObjectMeta): Map<string, boolean> {
  const owners = new Map<string, boolean>()
  for (const reference of ownerReferences) {
    const text = ownerText(ownerOf(reference, namespace))
    owners.set(text, (owners.get(text) ?? false) || reference.blockOwnerDeletion === true)
  }
  return owners
}
