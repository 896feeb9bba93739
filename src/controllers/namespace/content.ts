/** Deletes the content of a namespace, and reports the objects that remain. */

import type { Kind } from '../../catalog/kind.ts'
import { allObjects, type Operation, type Target } from '../../clusters/operation.ts'
import type { RegisteredCollection } from '../../clusters/registration-messages.ts'
import { ApiError } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { Findings, Remainder } from './conditions.ts'

/** The requests by which content is deleted. They reject with the ApiError of a failed operation. */
export interface ContentRequests {
  /** Makes a collection ask before it stores a further object in the namespace: it is told that the namespace is terminating. */
  readonly revoke: (collection: RegisteredCollection, namespace: string) => Promise<void>
  /** Lists objects. */
  readonly list: (kind: Kind, operation: Operation) => Promise<Response>
  /** Deletes all objects of a kind in a namespace. */
  readonly removeAll: (kind: Kind, target: Target) => Promise<void>
}

/** Returns the kind of a collection's objects; undefined if it no longer exists. */
export type KindOfCollection = (collection: RegisteredCollection) => Kind | undefined

/** The result of the deletion. */
export interface Deleted extends Findings {
  /** Whether the whole content is gone: only then may the namespace be removed. */
  readonly isAllGone: boolean
}

/** The page size when remaining objects are counted. */
const pageObjects = 500

const podResource = 'pods'

/** The maximum number of collections that are asked at the same time. */
const mostAtOnce = 8

/** The remaining objects of one collection. */
interface Outcome extends Remainder {
  readonly failure: string | undefined
}

interface List {
  readonly metadata: { readonly continue?: string }
  readonly items: readonly KubernetesObject[]
}

/**
 * Deletes Pods first and all else after them, because running Pods may need the other objects until they end.
 * @param namespace its name, and `deletedAt`, its deletionTimestamp in milliseconds
 */
export async function deleteContent(
  requests: ContentRequests,
  kindOf: KindOfCollection,
  known: readonly RegisteredCollection[],
  namespace: { readonly name: string; readonly deletedAt: number },
  now: number,
): Promise<Deleted> {
  const isPods = ({ group, resource }: RegisteredCollection): boolean => group === '' && resource === podResource
  const pods = await deleteFromAll(requests, kindOf, known.filter(isPods), namespace, now)
  if (pods.some(({ objects }) => objects > 0)) {
    return { isAllGone: false, remainders: [], failures: pods.flatMap(({ failure }) => failure ?? []) }
  }
  const others = known.filter((collection) => !isPods(collection))
  const outcomes = [...pods, ...(await deleteFromAll(requests, kindOf, others, namespace, now))]
  const remainders = inEachGroup(outcomes.filter(({ objects }) => objects > 0))
  const failures = outcomes.map(({ failure }) => failure).filter((failure) => failure !== undefined)
  return { isAllGone: remainders.length === 0 && failures.length === 0, remainders, failures }
}

/** The names of Events: two groups serve them, and kube-apiserver's controller asks for the objects of each. */
const eventNames = ['events.', 'events.events.k8s.io']

/** Returns the outcomes, that of Events once for each of their groups, whichever of them the cluster has used. */
function inEachGroup(outcomes: readonly Outcome[]): Outcome[] {
  const named = outcomes.flatMap((outcome) =>
    eventNames.includes(outcome.name) ? eventNames.map((name) => ({ ...outcome, name })) : [outcome],
  )
  return [...new Map(named.map((outcome) => [outcome.name, outcome])).values()]
}

/** Deletes from several collections at once. Returns their outcomes in the order of the collections. */
async function deleteFromAll(
  requests: ContentRequests,
  kindOf: KindOfCollection,
  collections: readonly RegisteredCollection[],
  namespace: { readonly name: string; readonly deletedAt: number },
  now: number,
): Promise<Outcome[]> {
  const outcomes: (Outcome | undefined)[] = []
  const waiting = collections.entries()
  const ask = async (): Promise<void> => {
    for (const [index, collection] of waiting) outcomes[index] = await deleteFrom(requests, kindOf, collection, namespace, now)
  }
  await Promise.all(Array.from({ length: mostAtOnce }, ask))
  return outcomes.filter((outcome) => outcome !== undefined)
}

async function deleteFrom(
  requests: ContentRequests,
  kindOf: KindOfCollection,
  collection: RegisteredCollection,
  namespace: { readonly name: string; readonly deletedAt: number },
  now: number,
): Promise<Outcome | undefined> {
  const kind = kindOf(collection)
  const { group, version, resource } = kind ?? collection
  const target: Target = { group, version, resource, subresource: '', namespace: namespace.name, name: '' }
  const name = `${resource}.${group}`
  try {
    // Also if the kind is gone: a later definition may bring the collection back, and the namespace another one of its name.
    await requests.revoke(collection, namespace.name)
    if (kind?.namespaced !== true) return undefined
    await requests.removeAll(kind, target)
    const { objects, finalizers, graceful } = await count(requests, kind, target)
    const isOverdue = objects > 0 && finalizers.size === 0 && namespace.deletedAt + graceful * 1000 <= now
    const described = `${kind.apiVersion.includes('/') ? '' : '/'}${kind.apiVersion}, Resource=${resource}`
    const failure = `unexpected items still remain in namespace: ${namespace.name} for gvr: ${described}`
    return { name, objects, finalizers, failure: isOverdue ? failure : undefined }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { name, objects: 0, finalizers: new Map(), failure: error.message }
  }
}

/** Counts the remaining objects; `graceful` is the longest termination grace period of its Pods in seconds. */
async function count(
  requests: ContentRequests,
  kind: Kind,
  target: Target,
): Promise<{ objects: number; finalizers: Map<string, number>; graceful: number }> {
  const finalizers = new Map<string, number>()
  let [objects, graceful] = [0, 0]
  for (let token = ''; ; ) {
    const list = { ...allObjects, limit: pageObjects, continue: token }
    const { metadata, items } = await (await requests.list(kind, { verb: 'list', unconverted: true, target, list })).json<List>()
    objects += items.length
    for (const item of items) {
      for (const name of item.metadata.finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1)
      graceful = Math.max(graceful, graceOfPod(item))
    }
    token = metadata.continue ?? ''
    if (token === '') return { objects, finalizers, graceful }
  }
}

/** Returns the grace period of a Pod in seconds; 0 for other objects and for Pods that have ended. */
function graceOfPod(object: KubernetesObject): number {
  const { spec, status } = object as { spec?: { terminationGracePeriodSeconds?: number }; status?: { phase?: string } }
  return status?.phase === 'Succeeded' || status?.phase === 'Failed' ? 0 : (spec?.terminationGracePeriodSeconds ?? 0)
}
