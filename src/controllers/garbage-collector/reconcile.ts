/** What is to be done about an object that has owners. Pure: the wiring does it. Follows the garbage collector's attemptToDeleteItem. */
import type { DeleteOptions } from '../../clusters/operation.ts'
import type { ObjectMeta } from '../../meta/object-meta.ts'
import { foregroundFinalizer, orphanFinalizer } from '../../registry/finalizers.ts'
import type { OwnerState } from '../../storage/owner-statements.ts'
import type { DependenceAnswer } from './messages.ts'

type PropagationPolicy = NonNullable<DeleteOptions['propagationPolicy']>

/** The next step for one object. */
export type Step =
  | { readonly do: 'nothing' }
  /** An owner, or what depends on the object, is not known yet. */
  | { readonly do: 'wait' }
  /** An owner is left: the references to those that are gone or wait for the object go. */
  | { readonly do: 'drop references'; readonly uids: ReadonlySet<string> }
  /** No owner is left. `unblock`: the object first ceases to block its owners, which may be its dependents, too. */
  | { readonly do: 'delete'; readonly policy: PropagationPolicy; readonly unblock: boolean }

/** An owner reference with what is known of the owner. */
export interface KnownReference {
  readonly uid: string
  readonly state: OwnerState | undefined
}

/**
 * @param references in their order
 * @param dependence whether anything depends on the object; undefined where nobody has asked
 */
export function reconcile(
  metadata: ObjectMeta,
  references: readonly KnownReference[],
  dependence: DependenceAnswer | undefined,
): Step {
  if (metadata.deletionTimestamp !== undefined || references.length === 0) return { do: 'nothing' }
  if (references.some(({ state }) => state === 'invalid')) return { do: 'nothing' }
  if (references.some(({ state }) => state === undefined || state === 'unknown')) return { do: 'wait' }
  const lost = references.filter(({ state }) => state === 'gone' || state === 'foreground')
  if (lost.length < references.length) {
    return lost.length === 0 ? { do: 'nothing' } : { do: 'drop references', uids: new Set(lost.map(({ uid }) => uid)) }
  }
  if (!lost.some(({ state }) => state === 'foreground')) return { do: 'delete', policy: ownPolicy(metadata), unblock: false }
  if (dependence === undefined) return { do: 'wait' }
  if (!dependence.some) return { do: 'delete', policy: ownPolicy(metadata), unblock: false }
  return { do: 'delete', policy: 'Foreground', unblock: dependence.foreground }
}

/** What the object's own finalizers say. */
function ownPolicy({ finalizers = [] }: ObjectMeta): PropagationPolicy {
  if (finalizers.includes(orphanFinalizer)) return 'Orphan'
  return finalizers.includes(foregroundFinalizer) ? 'Foreground' : 'Background'
}

/** How long to wait before the next attempt at what did not succeed, in milliseconds: up to a quarter of an hour. */
export function retryDelay(attempt: number): number {
  return Math.min(100 * 2 ** Math.min(attempt, 14), 900_000)
}
