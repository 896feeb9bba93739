/**
 * The Pod's part of pods/eviction: deletes the Pod if the disruption budgets allow it.
 * Follows EvictionREST of k8s.io/kubernetes/pkg/registry/core/pod/storage. The budgets are in another Durable Object: a lookup
 * reserves the disruption there (disruption.ts). If the eviction fails afterwards, the budget has counted a disruption that did
 * not happen. The Pod is in its status.disruptedPods, from which the disruption controller removes it, as with kube-apiserver.
 */
import type { Pod } from '../../catalog/generated/types/core.v1.ts'
import type { Kind } from '../../catalog/kind.ts'
import { type DisruptionResult, workerLookup } from '../../clusters/lookups.ts'
import type { DeleteOptions, Operation, Target } from '../../clusters/operation.ts'
import { fromWire } from '../../clusters/wire-error.ts'
import { ApiError, notFound } from '../../meta/errors.ts'
import { LookupResults } from '../../meta/lookups.ts'
import type { Stored } from '../../storage/store.ts'
import { commit } from '../commit.ts'
import { checkPreconditions, removeIn } from '../delete.ts'
import type { Registry, WriteResult } from '../registry.ts'
import { keyOf, objectOf } from '../stored-object.ts'
import type { CommitScope } from '../write-scope.ts'
import { tooManyDisruptions } from './disruption.ts'
import { isReady, keepPod, setPodCondition } from './pod-object.ts'
import { created } from './success.ts'

/** The operation that evicts a Pod. */
export type Eviction = Extract<Operation, { readonly verb: 'evict' }>

const condition = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
}

const unguardedPhases: ReadonlySet<string> = new Set(['Succeeded', 'Failed', 'Pending'])

/** Whether the Pod needs no disruption budget: it has not started, has ended, or is being deleted. */
const isUnguarded = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined || unguardedPhases.has(status.phase ?? '')

/**
 * Reserves the disruption of the Pod, once for the whole operation.
 * @throws MissingLookups
 */
function reserve({ registry }: CommitScope, existing: Stored, { dryRun }: Eviction): DisruptionResult {
  const { lookups = new LookupResults() } = registry
  const { metadata, status, spec } = objectOf(existing) as Pod
  const { namespace = '', name = '', labels = {} } = metadata
  const pod = { name, labels, ready: isReady({ metadata, status, spec }) }
  const resourceVersion = String(existing.resourceVersion)
  return lookups.get(workerLookup('disruption', { namespace, pod, resourceVersion, dryRun }, 'disruption'))
}

/**
 * Requires that the disruption of the Pod is reserved.
 * @throws ApiError 429 if an unready Pod has changed since its disruption was reserved, MissingLookups
 */
function requireDisruption(scope: CommitScope, existing: Stored, eviction: Eviction): void {
  const { disruption, resourceVersion } = reserve(scope, existing, eviction)
  if (disruption.outcome !== 'unready' || resourceVersion === String(existing.resourceVersion)) return
  // The Pod may have become ready meanwhile. If the client gave a resourceVersion, that precondition fails instead.
  if (eviction.delete.resourceVersion === undefined) throw tooManyDisruptions(disruption.budget)
}

/** Returns the preconditions that are not empty. Empty ones are only checked by the deletion. */
const givenPreconditions = ({ uid = '', resourceVersion = '' }: DeleteOptions): DeleteOptions => ({
  ...(uid !== '' && { uid }),
  ...(resourceVersion !== '' && { resourceVersion }),
})

/**
 * Sets the condition DisruptionTarget and deletes the Pod.
 * @returns the error of the deletion, if it fails: the condition stays nevertheless
 */
function evictNow(scope: CommitScope, existing: Stored, eviction: Eviction): ApiError | undefined {
  const { registry, transaction, kind } = scope
  const refusal = eviction.refusal && fromWire(eviction.refusal)
  if (eviction.dryRun) {
    if (refusal !== undefined) throw refusal
    removeIn(scope, { existing, options: eviction.delete, dryRun: true })
    return undefined
  }
  const pod = objectOf(existing) as Pod
  checkPreconditions(kind, pod, existing, givenPreconditions(eviction.delete))
  setPodCondition(pod, condition, registry.now())
  const marked = keepPod(transaction, kind, existing, pod)
  if (refusal !== undefined) return refusal
  // The condition has changed the resourceVersion, so the deletion requires the new one.
  const { resourceVersion: _checked, ...options }: DeleteOptions = eviction.delete
  return failureOf(() => removeIn(scope, { existing: marked, options, dryRun: false }))
}

/** Returns the error that a deletion throws for its options. */
function failureOf(deletion: () => void): ApiError | undefined {
  try {
    deletion()
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

function evictIn(scope: CommitScope, target: Target, eviction: Eviction): ApiError | undefined {
  const { transaction, kind } = scope
  const existing = transaction.get(keyOf(kind, target.namespace, target.name))
  if (existing === undefined) throw notFound(kind, target.name)
  if (!isUnguarded(objectOf(existing) as Pod)) requireDisruption(scope, existing, eviction)
  return evictNow(scope, existing, eviction)
}

/**
 * Evicts a Pod. After an error of the deletion itself, the condition and the budget's disruption stay, as in kube-apiserver.
 * @throws ApiError 404, 409 if a precondition does not hold, 422 for invalid options, 429 if an unready Pod has changed,
 *   MissingLookups
 */
export async function evict(registry: Registry, kind: Kind, target: Target, eviction: Eviction): Promise<WriteResult> {
  const error = await commit(registry, (transaction) => evictIn({ registry, transaction, kind }, target, eviction))
  if (error !== undefined) throw error
  return created
}
