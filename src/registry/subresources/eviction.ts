/**
 * eviction, the Pod's part: its deletion, unless a disruption budget has to be asked first.
 * Follows the EvictionREST of k8s.io/kubernetes/pkg/registry/core/pod/storage. The budgets are in another Durable Object: the
 * Worker asks there (disruption.ts) and comes back. Should it fail in between, the budget has counted a disruption that did not
 * come; it says of which Pod in status.disruptedPods, and its controller takes that back, as with kube-apiserver.
 */
import type { Kind } from '../../catalog/kind.ts'
import type { Pod } from '../../catalog/shapes/pod.ts'
import { type DeleteOptions, type DisruptedPod, fromWire, type Operation, type Target } from '../../clusters/operation.ts'
import { notFound } from '../../meta/errors.ts'
import type { Stored } from '../../storage/store.ts'
import { commit } from '../commit.ts'
import { checkPreconditions, removeIn } from '../delete.ts'
import type { Registry, WriteResult } from '../registry.ts'
import { keyOf, objectOf } from '../stored-object.ts'
import type { CommitScope } from '../write-scope.ts'
import { tooManyDisruptions } from './disruption.ts'
import { isReady, keepPod, setPodCondition } from './pod-object.ts'
import { created } from './success.ts'

/** What is asked of a Pod. */
export type Eviction = Extract<Operation, { readonly verb: 'evict' }>

/** That a budget has to be asked, and what it has to know. */
export interface GuardedPod {
  readonly pod: DisruptedPod
  readonly resourceVersion: string
}

const condition = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
}

const unguardedPhases: ReadonlySet<string> = new Set(['Succeeded', 'Failed', 'Pending'])

/** A Pod that does not run yet or no more, or is on its way out, is not disrupted by being deleted. */
const isUnguarded = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined || unguardedPhases.has(status.phase ?? '')

function guarded({ metadata, status, spec }: Pod, { resourceVersion }: Stored): WriteResult {
  const pod = { name: metadata.name ?? '', labels: metadata.labels ?? {}, ready: isReady({ metadata, status, spec }) }
  const answer: GuardedPod = { pod, resourceVersion: String(resourceVersion) }
  return { code: 200, text: JSON.stringify(answer) }
}

/** The Pod is told of its eviction by a condition, and deleted. */
function evictNow(scope: CommitScope, existing: Stored, eviction: Eviction): WriteResult {
  const { registry, transaction, kind } = scope
  if (eviction.dryRun) {
    removeIn(scope, { existing, options: eviction.delete, dryRun: true })
    return created
  }
  const pod = objectOf(existing) as Pod
  checkPreconditions(kind, pod, existing, eviction.delete)
  setPodCondition(pod, condition, registry.now())
  const told = keepPod(transaction, kind, existing, pod)
  // The version that the client asked for has held: the condition has just moved it.
  const { resourceVersion: _checked, ...options }: DeleteOptions = eviction.delete
  removeIn(scope, { existing: told, options, dryRun: false })
  return created
}

function evictIn(scope: CommitScope, target: Target, eviction: Eviction): WriteResult {
  const { transaction, kind } = scope
  const existing = transaction.get(keyOf(kind, target.namespace, target.name))
  if (existing === undefined) throw notFound(kind, target.name)
  if (eviction.refusal !== undefined) throw fromWire(eviction.refusal)
  const { guard } = eviction
  const pod = objectOf(existing) as Pod
  if (guard.state === 'unknown' && !isUnguarded(pod)) return guarded(pod, existing)
  const hasChanged = guard.state === 'unready' && guard.resourceVersion !== String(existing.resourceVersion)
  // It may have become ready meanwhile. A client that named a version itself is told that this is not the one.
  if (hasChanged && eviction.delete.resourceVersion === undefined) throw tooManyDisruptions(guard.budget)
  return evictNow(scope, existing, eviction)
}

/**
 * Evicts a Pod, or answers (200) that a budget has to be asked: a GuardedPod.
 * @throws ApiError 404, 409 where a precondition does not hold, 429 where an unready Pod has changed
 */
export function evict(registry: Registry, kind: Kind, target: Target, eviction: Eviction): Promise<WriteResult> {
  return commit(registry, (transaction) => evictIn({ registry, transaction, kind }, target, eviction))
}
