/**
 * The shape of controllers. Keys of work follow from changes, are stored in the same commit, and are reconciled after it, at least
 * once.
 */
import type { ControllerName } from '../config/controllers.ts'
import type { StoreEvent } from '../storage/store.ts'

/** The first parts of the rows of queues, which earlier releases know. */
export const rowRoots = ['due', 'outbox', 'outbox-of-writes', 'workqueue'] as const

/** The queue of a controller. */
export interface QueueName {
  /** The name of the queue in the log and in metrics. */
  readonly name: string
  /** The prefix of the queue's rows in the storage of the object. Its second part is the last one. */
  readonly rows: `${(typeof rowRoots)[number]}/${string}`
}

/**
 * The result of a reconciliation: nothing is left to do; the key is due again at once, because there is more to do; or it is due
 * after a pause, as after a failure.
 */
export type Outcome = 'done' | 'more' | 'later'

/**
 * Identifies keys that are reconciled together. Facts that are read for one of them are newer than all their changes, so they may be
 * shared.
 */
export type Drain = object

/** A controller in one Durable Object. */
export interface Reconciler {
  /**
   * Returns the keys of the work that follows from a change of a watched object. It runs within the commit. Absent if any change is
   * work for the one key ''.
   */
  keys?(event: StoreEvent): Iterable<string>
  /** Returns the keys of the work that follows from each start of the object, for example from its settings. */
  atStart?(): Iterable<string>
  /** Returns the keys of all work that another release may have left, or that was not done while the controller was off. */
  missed?(): Iterable<string>
  /** Does the work of a key. Must be idempotent. A key whose work fails is due again after a pause. */
  reconcile(key: string, drain: Drain): Promise<Outcome>
}

/** A group and resource whose objects a controller works for. */
export interface ControlledCollection {
  readonly group: string
  readonly resource: string
}

/**
 * The declaration of a controller.
 *
 * @example
 * ```ts
 * export const deletedPods: Controller<Kernel> = {
 *   name: 'deleted-pods',
 *   rows: 'outbox/deleted-pods/',
 *   at: { group: '', resource: 'pods' },
 *   open: () => ({
 *     keys: ({ type, object }) => (type === 'DELETED' ? [object.key] : []),
 *     reconcile: async (key) => {
 *       console.log(`${key} was deleted`)
 *       return 'done'
 *     },
 *   }),
 * }
 * ```
 */
export interface Controller<Context> extends QueueName {
  /** The controller runs if one of these is enabled; absent if it is a part of the server itself. */
  readonly enabledBy?: readonly ControllerName[]
  /** It runs if this feature gate is on. */
  readonly featureGate?: string
  /** The collection whose objects it watches, and beside which it runs. Absent if it runs in every object that opens it. */
  readonly at?: ControlledCollection
  /** The key prefixes of the objects that it watches, if not those of its collection. */
  readonly watches?: readonly string[]
  /** A write is answered after its work, or the object answers nothing before it. Absent if nobody waits. */
  readonly awaitedBy?: 'write' | 'start'
  /** The number of keys that are reconciled at once. One if absent. */
  readonly workers?: number
  /**
   * Returns the pause in milliseconds before a key is tried again; undefined to give it up. Absent for that of failing alarms.
   * @param attempt the number of attempts before the last one
   */
  readonly pause?: (attempt: number) => number | undefined
  /** Opens the controller in a Durable Object. */
  readonly open: (context: Context) => Reconciler
}
