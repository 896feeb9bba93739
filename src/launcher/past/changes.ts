/** The differences between the objects of two moments. */
import type { Api } from '../api.ts'
import { cleaned, type Manifest, nameOf, namespaceOf } from '../transfer/manifest.ts'
import { identityOf } from '../transfer/order.ts'
import { objectsOf } from '../transfer/source.ts'

/** An object that is not the same at two moments: as it was before, and as it is after. */
export type Change =
  | { readonly before: Manifest; readonly after: undefined }
  | { readonly before: undefined; readonly after: Manifest }
  | { readonly before: Manifest; readonly after: Manifest }

const textOf = (object: Manifest): string => JSON.stringify(cleaned(object))

const byIdentity = (objects: readonly Manifest[]): ReadonlyMap<string, Manifest> =>
  new Map(objects.map((object) => [identityOf(object.apiVersion, object.kind, namespaceOf(object), nameOf(object)), object]))

/** Returns the changes from one list of objects to another, in the order of their identities. */
export function changesOf(before: readonly Manifest[], after: readonly Manifest[]): readonly Change[] {
  const [first, second] = [byIdentity(before), byIdentity(after)]
  return [...new Set([...first.keys(), ...second.keys()])].toSorted().flatMap((id): Change[] => {
    const [from, to] = [first.get(id), second.get(id)]
    if (from === undefined) return to === undefined ? [] : [{ before: undefined, after: to }]
    if (to === undefined) return [{ before: from, after: undefined }]
    return textOf(from) === textOf(to) ? [] : [{ before: from, after: to }]
  })
}

/** Reads the objects of two moments, and returns the changes. */
export async function changesBetween(before: Api, after: Api): Promise<readonly Change[]> {
  const [first, second] = await Promise.all([before, after].map((api) => objectsOf(api, { secrets: true })))
  return changesOf(first ?? [], second ?? [])
}

/** Returns the object of a change, in its later state if there is one. */
export const objectOf = ({ before, after }: Change): Manifest => (after ?? before) as Manifest

/** Returns the kind, namespace and name of an object for people. */
export function described(object: Manifest): string {
  const namespace = namespaceOf(object)
  return `${object.kind} ${namespace === '' ? '' : `${namespace}/`}${nameOf(object)}`
}
