/**
 * Decides the step for an object with owners. Pure: the wiring executes it. Follows attemptToDeleteItem of the garbage collector.
 */
import type { DeleteOptions } from '../../clusters/operation.ts'
import type { DependenceAnswer } from '../../clusters/owner-messages.ts'
import type { ObjectMeta } from '../../meta/object-meta.ts'
import { foregroundFinalizer, orphanFinalizer } from '../../registry/finalizers.ts'
import type { OwnerState } from '../../storage/owner-statements.ts'

type PropagationPolicy = NonNullable<DeleteOptions['propagationPolicy']>

/** The next step for one object. */
export type Step =
  | { readonly do: 'nothing' }
  /** The state of an owner, or whether the object has dependents, is not known yet. */
  | { readonly do: 'wait' }
  /** A solid owner exists: the references to owners that are gone or wait for the object are removed. */
  | { readonly do: 'drop references'; readonly uids: ReadonlySet<string> }
  /** No owner is left. `unblock`: blockOwnerDeletion is removed first, because the owners may be the object's own dependents. */
  | { readonly do: 'delete'; readonly policy: PropagationPolicy; readonly unblock: boolean }

/** An owner reference with the owner's state, if known. */
export interface KnownReference {
  readonly uid: string
  readonly state: OwnerState | undefined
}

/**
 * Decides the step for one object.
 * @param references in their order
 * @param dependence whether the object has dependents; undefined if it has not been counted
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

/** Returns the propagation policy that the object's own finalizers ask for. */
function ownPolicy({ finalizers = [] }: ObjectMeta): PropagationPolicy {
  if (finalizers.includes(orphanFinalizer)) return 'Orphan'
  return finalizers.includes(foregroundFinalizer) ? 'Foreground' : 'Background'
}

const quarterHour = 900_000
const day = 86_400_000
const minute = 60_000

const doubled = (first: number, attempt: number, longest: number): number => Math.min(first * 2 ** Math.min(attempt, 30), longest)

/** Returns the pause in milliseconds before the next attempt: doubled with each attempt, at most a quarter of an hour. */
export const retryDelay = (attempt: number): number => doubled(100, attempt, quarterHour)

/**
 * Returns the pause in milliseconds before the kind of an owner is looked up again that did not exist: at most a day. An object
 * with such an owner may stay for ever, and each attempt wakes its collection.
 */
export const unknownKindDelay = (attempt: number): number => doubled(100, attempt, day)

/**
 * Returns the pause in milliseconds before a place is notified again that has not finished with an owner's dependents: a minute,
 * doubled with each notification, at most a day. The place itself answers when it has finished; only that answer may be lost.
 */
export const reminderDelay = (attempt: number): number => doubled(minute, attempt, day)
