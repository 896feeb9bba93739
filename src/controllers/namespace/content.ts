/** Deletes what is in a namespace, and tells what is left. */
import type { Kind } from '../../catalog/kind.ts'
import type { Operation, Target } from '../../clusters/operation.ts'
import { ApiError } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { Findings, Remainder } from './conditions.ts'

/** A collection that has held an object at some time, as its Durable Object reports it before its first write. */
export interface KnownCollection {
  readonly group: string
  readonly version: string
  readonly resource: string
}

/** Has the collection of a kind do something. Rejects with the ApiError that it answers. */
export type Perform = (kind: Kind, operation: Operation) => Promise<Response>

/** The kind of a collection's objects; undefined where there is none any more. */
export type KindOfCollection = (collection: KnownCollection) => Kind | undefined

/** What came of it. */
export interface Deleted extends Findings {
  /** Whether all of it is gone: only then may the namespace go. */
  readonly isAllGone: boolean
}

/** Objects of one page when what is left is counted. */
const pageObjects = 500

const unselected = { labelSelector: '', fieldSelector: '', resourceVersion: '', resourceVersionMatch: '' } as const
const podCollection: KnownCollection = { group: '', version: 'v1', resource: 'pods' }

/** What is left of one collection. */
interface Outcome extends Remainder {
  readonly failure: string | undefined
}

interface List {
  readonly metadata: { readonly continue?: string }
  readonly items: readonly KubernetesObject[]
}

/**
 * Pods go first, and all else waits for them: what runs in them may need it until the end.
 * @param namespace by name
 * @param deletedAt when its deletion began, in milliseconds
 */
export async function deleteContent(
  perform: Perform,
  kindOf: KindOfCollection,
  known: readonly KnownCollection[],
  namespace: { readonly name: string; readonly deletedAt: number },
  now: number,
): Promise<Deleted> {
  const pods = await deleteFrom(perform, kindOf, podCollection, namespace, now)
  if (pods !== undefined && pods.objects > 0) {
    return { isAllGone: false, remainders: [], failures: pods.failure === undefined ? [] : [pods.failure] }
  }
  const outcomes = pods === undefined ? [] : [pods]
  for (const collection of known) {
    if (collection.group === '' && collection.resource === podCollection.resource) continue
    const outcome = await deleteFrom(perform, kindOf, collection, namespace, now)
    if (outcome !== undefined) outcomes.push(outcome)
  }
  const remainders = outcomes.filter(({ objects }) => objects > 0)
  const failures = outcomes.map(({ failure }) => failure).filter((failure) => failure !== undefined)
  return { isAllGone: remainders.length === 0 && failures.length === 0, remainders, failures }
}

async function deleteFrom(
  perform: Perform,
  kindOf: KindOfCollection,
  collection: KnownCollection,
  namespace: { readonly name: string; readonly deletedAt: number },
  now: number,
): Promise<Outcome | undefined> {
  const kind = kindOf(collection)
  if (kind?.namespaced !== true) return undefined
  const { group, version, resource } = kind
  const target: Target = { group, version, resource, subresource: '', namespace: namespace.name, name: '' }
  const name = `${resource}.${group}`
  try {
    // Without a policy of their own, objects would wait for dependents to be orphaned that go as well.
    const list = { ...unselected, limit: 0, continue: '' }
    await perform(kind, {
      verb: 'deletecollection',
      unconverted: true,
      target,
      list,
      delete: { propagationPolicy: 'Background' },
      dryRun: false,
    })
    const { objects, finalizers, graceful } = await count(perform, kind, target)
    const isOverdue = objects > 0 && finalizers.size === 0 && namespace.deletedAt + graceful * 1000 <= now
    const described = `${kind.apiVersion.includes('/') ? '' : '/'}${kind.apiVersion}, Resource=${resource}`
    const failure = `unexpected items still remain in namespace: ${namespace.name} for gvr: ${described}`
    return { name, objects, finalizers, failure: isOverdue ? failure : undefined }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { name, objects: 0, finalizers: new Map(), failure: error.message }
  }
}

/** Counts what is left; `graceful` is how many seconds the longest of its Pods may take to end. */
async function count(
  perform: Perform,
  kind: Kind,
  target: Target,
): Promise<{ objects: number; finalizers: Map<string, number>; graceful: number }> {
  const finalizers = new Map<string, number>()
  let [objects, graceful] = [0, 0]
  for (let token = ''; ; ) {
    const list = { ...unselected, limit: pageObjects, continue: token }
    const { metadata, items } = (await (await perform(kind, { verb: 'list', unconverted: true, target, list })).json()) as List
    objects += items.length
    for (const item of items) {
      for (const name of item.metadata.finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1)
      graceful = Math.max(graceful, graceOfPod(item))
    }
    token = metadata.continue ?? ''
    if (token === '') return { objects, finalizers, graceful }
  }
}

/** 0 for all that is no Pod, or one that has ended. */
function graceOfPod(object: KubernetesObject): number {
  const { spec, status } = object as { spec?: { terminationGracePeriodSeconds?: number }; status?: { phase?: string } }
  return status?.phase === 'Succeeded' || status?.phase === 'Failed' ? 0 : (spec?.terminationGracePeriodSeconds ?? 0)
}
