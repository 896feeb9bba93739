/**
 * The PodDisruptionBudget's part of pods/eviction: checks whether one more disruption is allowed, and counts it in the same
 * commit.
 * Follows checkAndDecrement of k8s.io/kubernetes/pkg/registry/core/pod/storage/eviction.go and KEP-3017.
 */
import type { Condition } from '../../catalog/generated/types/meta.v1.ts'
import type { PodDisruptionBudget } from '../../catalog/generated/types/policy.v1.ts'
import type { Kind } from '../../catalog/kind.ts'
import type { DisruptedPod, Disruption } from '../../clusters/lookups.ts'
import type { Operation, Target } from '../../clusters/operation.ts'
import { parseJson } from '../../go/json.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import { ApiError, forbidden } from '../../meta/errors.ts'
import { labelSelectorFrom } from '../../meta/label-selector-object.ts'
import { serverManager } from '../../meta/managers.ts'
import type { Stored, Transaction } from '../../storage/store.ts'
import { commit } from '../commit.ts'
import type { Registry, WriteResult } from '../registry.ts'
import { objectOf, prefixOf } from '../stored-object.ts'
import { updateIn } from '../update.ts'
import type { CommitScope } from '../write-scope.ts'

type Request = Extract<Operation, { readonly verb: 'disrupt' }>

/** The field manager of budget changes that evictions cause. */
const manager = serverManager
/** The most evictions that the disruption controller may not have confirmed yet. */
const maximumDisruptedPods = 2000
const pageRows = 500
const retryAfterSeconds = 10
const conditionType = 'DisruptionAllowed'
const budgets = { group: 'policy', resource: 'poddisruptionbudget' }

function tooMany(message: string, retry: number): ApiError {
  const text = "Cannot evict pod as it would violate the pod's disruption budget."
  const causes = [{ reason: 'DisruptionBudget', message }]
  return new ApiError(429, 'TooManyRequests', text, { causes, ...(retry > 0 && { retryAfterSeconds: retry }) })
}

/** Returns the 429 error of a budget whose controller has not observed the last change yet. */
export function tooManyDisruptions(budget: string): ApiError {
  return tooMany(`The disruption budget ${budget} is still being processed by the server.`, retryAfterSeconds)
}

/** Returns the reason why an exhausted budget allows no disruption. */
function exhausted(name: string, { conditions = [], currentHealthy, desiredHealthy }: PodDisruptionBudget['status']): string {
  const condition = conditions.find(({ type }) => type === conditionType)
  const says = condition?.status === 'False' && condition.message !== '' ? condition : undefined
  const not = `The disruption budget ${name} does not allow evicting pods currently`
  if (says?.reason === 'SyncFailed') return `${not} because it failed sync: ${says.message}`
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
  }
  return says === undefined ? not : `${not} (${says.reason}): ${says.message}`
}

/**
 * Checks whether the budget allows one more disruption.
 * @throws ApiError 429 if it does not, 403 if the disruption cannot be counted
 */
function check({ metadata, status }: PodDisruptionBudget): void {
  const { name = '', generation = 0 } = metadata
  if ((status.observedGeneration ?? 0) < generation) throw tooManyDisruptions(name)
  if (status.disruptionsAllowed < 0) throw forbidden(budgets, name, 'pdb disruptions allowed is negative')
  if (Object.keys(status.disruptedPods ?? {}).length > maximumDisruptedPods) {
    throw forbidden(budgets, name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller')
  }
  if (status.disruptionsAllowed === 0) throw tooMany(exhausted(name, status), 0)
}

function setExhausted(status: PodDisruptionBudget['status'], now: number): void {
  const { conditions = [], observedGeneration } = status
  const before = conditions.find(({ type }) => type === conditionType)
  const set: Condition = {
    type: conditionType,
    status: 'False',
    ...(observedGeneration !== undefined && { observedGeneration }),
    lastTransitionTime: before?.status === 'False' ? before.lastTransitionTime : rfc3339Seconds(now),
    reason: 'InsufficientPods',
    message: '',
  }
  status.conditions = before === undefined ? [...conditions, set] : conditions.map((other) => (other === before ? set : other))
}

/** Returns the status with one allowed disruption less, and with the Pod in disruptedPods. */
function counted({ status }: PodDisruptionBudget, pod: string, now: number): PodDisruptionBudget['status'] {
  const { observedGeneration, disruptedPods = {}, disruptionsAllowed, ...rest } = status
  const names = Object.entries({ ...disruptedPods, [pod]: rfc3339Seconds(now) }).sort(([a], [b]) => (a < b ? -1 : 1))
  const after = {
    ...(observedGeneration !== undefined && { observedGeneration }),
    disruptedPods: Object.fromEntries(names),
    disruptionsAllowed: disruptionsAllowed - 1,
    ...rest,
  }
  if (after.disruptionsAllowed === 0) setExhausted(after, now)
  return after
}

function guards(budget: PodDisruptionBudget, pod: DisruptedPod): boolean {
  try {
    return labelSelectorFrom(budget.spec.selector).matches(pod.labels)
  } catch {
    // An invalid selector matches no Pod.
    return false
  }
}

/** Returns the budgets of the namespace that select the Pod, at most two. */
function guardsOf(registry: Registry, transaction: Transaction, prefix: string, pod: DisruptedPod): Stored[] {
  const { store } = registry
  const found: Stored[] = []
  for (let after = '', more = true; more; ) {
    const page = store.list({ prefix, after, limit: pageRows, resourceVersion: store.resourceVersion })
    for (const { key } of page.items) {
      const stored = transaction.get(key)
      if (stored !== undefined && guards(objectOf(stored) as PodDisruptionBudget, pod)) found.push(stored)
      if (found.length > 1) return found
    }
    after = page.items.at(-1)?.key ?? after
    more = page.more
  }
  return found
}

/** Whether a Pod that is not ready may be evicted without being counted (unhealthyPodEvictionPolicy). */
function mayGoUnready({ spec, status }: PodDisruptionBudget, pod: DisruptedPod): boolean {
  if (pod.ready) return false
  if (spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true
  return status.currentHealthy >= status.desiredHealthy && status.desiredHealthy > 0
}

function disruptIn({ registry, transaction, kind }: CommitScope, target: Target, request: Request): Disruption {
  const { pod, dryRun } = request
  const [existing, other] = guardsOf(registry, transaction, prefixOf(kind, target.namespace), pod)
  if (existing === undefined) return { outcome: 'unguarded' }
  if (other !== undefined) return { outcome: 'several' }
  const budget = objectOf(existing) as PodDisruptionBudget
  const { name = '' } = budget.metadata
  if (mayGoUnready(budget, pod)) return { outcome: 'unready', budget: name }
  check(budget)
  if (dryRun) return { outcome: 'allowed' }
  const object = parseJson(kind.codec.withTypeMeta(existing.value)) as unknown as PodDisruptionBudget
  object.status = counted(budget, pod.name, registry.now())
  const ofStatus = { ...target, name, subresource: 'status' }
  const write = { manager, dryRun: false }
  updateIn({ registry, transaction, kind, target: ofStatus, write }, { existing, object })
  return { outcome: 'allowed' }
}

/**
 * Reserves one disruption of the Pod in the budgets of the target's namespace.
 * @param kind the PodDisruptionBudget kind
 * @returns the JSON of a Disruption
 * @throws ApiError 429 if the disruption is not allowed now, 403 if the budget cannot count it
 */
export async function disrupt(registry: Registry, kind: Kind, target: Target, request: Request): Promise<WriteResult> {
  const disruption = await commit(registry, (transaction) => disruptIn({ registry, transaction, kind }, target, request))
  return { code: 200, text: JSON.stringify(disruption) }
}
