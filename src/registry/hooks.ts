/**
 * Where a kind departs from the rule in more than facts: the hooks' contract.
 * The hooks run inside the Durable Object's commit: they are synchronous and do no I/O.
 */
import type { Kind } from '../catalog/kind.ts'
import type { Warn } from '../catalog/warnings/warn.ts'
import type { FieldError } from '../meta/field-error.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { Store, Transaction } from '../storage/store.ts'

/** What a hook may know besides the objects. */
export interface StrategyContext {
  /** As the request names it. */
  readonly kind: Kind
  /** As the objects are stored: what the hooks get is in its version. */
  readonly storageKind: Kind
  readonly transaction: Transaction
  /** The collection's store, to look at what is there before the transaction. */
  readonly store: Store
  readonly dryRun: boolean
  /** Where hooks leave what the writer is to be told of a write that succeeds. */
  readonly warnings: string[]
  /** Notes work for another object, in the same commit as the write that causes it. */
  readonly outbox: (entry: string) => void
  /** `10.0.0.0/16`: from which Services get their addresses. */
  readonly serviceCidr: string
}

/** Where a kind departs from the rule in more than facts. */
export interface StrategyHooks {
  /** Runs before a create is validated; may change the new object. */
  readonly prepareForCreate?: (object: KubernetesObject, context: StrategyContext) => void
  /** Runs before an update of the resource itself is validated; may change the new object. */
  readonly prepareForUpdate?: (object: KubernetesObject, old: KubernetesObject, context: StrategyContext) => void
  /** Finds what is wrong with a new object, metadata left out; changes nothing. */
  readonly validate?: (object: KubernetesObject) => FieldError[]
  /** Finds what is wrong with a change, metadata left out; changes nothing. */
  readonly validateUpdate?: (object: KubernetesObject, old: KubernetesObject) => FieldError[]
  /** The same for a write to a subresource: `status`, `finalize`. */
  readonly validateSubresource?: (object: KubernetesObject, old: KubernetesObject, subresource: string) => FieldError[]
  /** Tells what is unwise about a valid object, new or changed; changes nothing. */
  readonly warn?: Warn
  /** Runs on a valid new object that will be kept (or would be, when dry): notes what follows from it. */
  readonly onCreate?: (object: KubernetesObject, context: StrategyContext) => void
  /** Answers a refusal to delete, or undefined. Runs before anything is changed. */
  readonly mayDelete?: (object: KubernetesObject, context: StrategyContext) => Error | undefined
  /**
   * Runs when a deletion begins, before finalizers are looked at; may change the object.
   * Answers whether the object must stay until somebody else finishes the deletion.
   */
  readonly beginDeletion?: (object: KubernetesObject, context: StrategyContext) => boolean
  /**
   * How many seconds an object may stay when its deletion begins, of those that the request asks for; 0: it goes at once.
   * Absent: objects of the kind know no grace.
   */
  readonly gracePeriod?: (object: KubernetesObject, requested: number | undefined) => number
}
