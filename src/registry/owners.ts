/**
 * Before an object with owners is stored for the first time, the collections of its owners are told that dependents are here:
 * from then on they tell of every deletion. It takes a hop, and only the first object of each pair of collections needs it.
 */
import type { KubernetesObject, OwnerReference } from '../meta/object-meta.ts'

/** What the registry asks of the garbage collector. */
export interface OwnerSubscriptions {
  /** Whether the collection of such owners knows of this one, or there is no such collection. */
  readonly isSubscribed: (apiVersion: string, kind: string) => boolean
  /** Makes it familiar. Rejects where the collection does not answer. */
  readonly subscribe: (apiVersion: string, kind: string) => Promise<void>
}

/** Thrown out of a commit, in which nobody can be told anything. */
class UnsubscribedOwners extends Error {
  readonly references: readonly OwnerReference[]

  constructor(references: readonly OwnerReference[]) {
    super('the collections of owners have to be told of their dependents first')
    this.references = references
  }
}

/** Ends an operation that would store the object too early; withFamiliarOwners repeats it. */
export function requireOwnerSubscriptions(owners: OwnerSubscriptions, { metadata }: KubernetesObject): void {
  if (metadata.ownerReferences === undefined) return
  const references = metadata.ownerReferences.filter(({ apiVersion, kind }) => !owners.isSubscribed(apiVersion, kind))
  if (references.length > 0) throw new UnsubscribedOwners(references)
}

/** Runs an operation, and again once the owners that stood in its way are familiar. */
export async function withOwnerSubscriptions<T>(owners: OwnerSubscriptions, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof UnsubscribedOwners)) throw error
    for (const { apiVersion, kind } of error.references) await owners.subscribe(apiVersion, kind)
    return withOwnerSubscriptions(owners, run)
  }
}
