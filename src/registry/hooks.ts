/**
 * The contract of a strategy's hooks: functions of a kind that behaves unlike the others in more than facts.
 * The hooks run inside the Durable Object's commit: they are synchronous and do no I/O.
 */
import type { RbacPolicy } from '../auth/rbac/policy.ts'
import type { Kind } from '../catalog/kind.ts'
import type { Warn } from '../catalog/warnings/warn.ts'
import type { DeleteOptions, WriteOptions } from '../clusters/operation.ts'
import type { FieldError } from '../meta/field-error.ts'
import type { LookupResults } from '../meta/lookups.ts'
import type { ValidateName } from '../meta/names.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { User } from '../meta/user.ts'
import type { ExplicitEmpty } from '../schema/explicit-empty.ts'
import type { Store, Transaction } from '../storage/store.ts'

/** Parts of the collection's Durable Object that few strategies need. */
export interface CollectionServices {
  /** The collection's store, without the transaction's writes. */
  readonly store: Store
  /** Notes work for another object, in the same commit as the write that causes it. */
  readonly outbox: (entry: string) => void
  /** `10.0.0.0/16`: the block of the Services' addresses. */
  readonly serviceCidr: string
  /** The cluster's roles and bindings as they are now; absent in objects that do not hold them. */
  readonly rbac?: () => RbacPolicy
}

/** Facts and facilities for hooks besides the objects. */
export interface StrategyContext {
  /** In the version that the request names. */
  readonly kind: Kind
  readonly transaction: Transaction
  /** The client; absent if the server itself writes. */
  readonly user?: User
  readonly write: Pick<WriteOptions, 'dryRun' | 'fromPatch'>
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Collects warnings for the client, which come with a refusal, too. */
  readonly warnings: string[]
  /** Facts from elsewhere. Throws MissingLookups for those that are not there yet: the commit then runs again. */
  readonly lookups: LookupResults
  readonly services: CollectionServices
}

/** The same for creates. */
export interface CreateContext extends StrategyContext {
  /** Whether the server draws the name. */
  readonly isNameGenerated: boolean
}

/** Adds a warning for the client, which comes with a refusal, too. */
export type AddWarning = (text: string) => void

/** The hooks of writes to one subresource: `status`, `finalize`, `approval` … */
export interface SubresourceHooks {
  /**
   * Runs first, before it is recorded who owns what; may change the new object: fields that say the same are brought
   * into line.
   */
  readonly normalize?: (object: KubernetesObject, old: KubernetesObject) => void
  /** Runs before an update is validated, after what is left alone has been reset; may change the new object. */
  readonly prepareForUpdate?: (object: KubernetesObject, old: KubernetesObject, context: StrategyContext) => void
  /** Finds what is wrong with a change, metadata left out; changes nothing. */
  readonly validateUpdate?: (object: KubernetesObject, old: KubernetesObject, notice: AddWarning) => FieldError[]
  /** Adds what the writer may not to what is wrong with a change. */
  readonly permit?: Permit
}

/** Gives all that is wrong with a write: what was found, and what the writer may not. `old` is absent for a create. */
export type Permit = (
  found: FieldError[],
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  context: StrategyContext,
) => FieldError[]

/** The hooks of one kind. */
export interface StrategyHooks {
  /** Returns the error to refuse this write with, or undefined to allow it. Runs before anything is changed; `old` is absent for a create. */
  readonly authorizeWrite?: (
    object: KubernetesObject,
    old: KubernetesObject | undefined,
    context: StrategyContext,
  ) => Error | undefined
  /** Runs before prepareForCreate, but not if a write to /status creates; may change the new object. */
  readonly beginCreate?: (object: KubernetesObject, context: CreateContext) => void
  /** Runs before a create is validated; may change the new object. */
  readonly prepareForCreate?: (object: KubernetesObject, context: CreateContext) => void
  /** Runs before an update of the resource itself is validated; may change the new object. */
  readonly prepareForUpdate?: (object: KubernetesObject, old: KubernetesObject, context: StrategyContext) => void
  /**
   * Gives the errors of an object that takes long to validate, in place of `validate` and `validateUpdate`; undefined: they find
   * them. Runs for requests alone, as the server's own writes have no lookups. Changes nothing. Throws MissingLookups.
   * @param old absent for a create
   * @param explicitEmpty lists and maps that the body gives and that hold nothing: messages tell of them
   */
  readonly lookUpErrors?: (
    object: KubernetesObject,
    old: KubernetesObject | undefined,
    explicitEmpty: readonly ExplicitEmpty[] | undefined,
    lookups: LookupResults,
  ) => FieldError[] | undefined
  /** Finds what is wrong with a new object, metadata left out; changes nothing. `kind` is as the request names it. */
  readonly validate?: (object: KubernetesObject, kind: Kind) => FieldError[]
  /** Finds what is wrong with a changed object, metadata left out; changes nothing. */
  readonly validateUpdate?: (object: KubernetesObject, old: KubernetesObject, kind: Kind, notice: AddWarning) => FieldError[]
  /** Finds what is wrong with how an object has changed, if the kind's rules have that apart; changes nothing. */
  readonly validateChange?: (object: KubernetesObject, old: KubernetesObject) => FieldError[]
  /** The check of names, if it depends on the object. */
  readonly validateNameOf?: (object: KubernetesObject) => ValidateName
  /** Adds what the writer may not to what is wrong. */
  readonly permit?: Permit
  /** The same for writes to subresources that are the object itself, by their names. */
  readonly subresources?: Readonly<Record<string, SubresourceHooks>>
  /** Tells what is unwise about a valid object, new or changed; changes nothing. */
  readonly warn?: Warn
  /** Runs on a valid new object that will be kept (or would be, when dry): notes what follows from it, or completes it. */
  readonly completeCreate?: (object: KubernetesObject, context: CreateContext) => void
  /** Whether a change leaves the generation as it is. Absent: it does if all but metadata and status is the same. */
  readonly isSpecUnchanged?: (object: KubernetesObject, old: KubernetesObject) => boolean
  /** Answers a refusal to delete, or undefined. Runs before anything is changed. */
  readonly validateDelete?: (object: KubernetesObject, options: DeleteOptions) => Error | undefined
  /** Changes an object whose deletion begins, in place of the rule: it stays, whether a finalizer holds it or not. */
  readonly beginDelete?: (object: KubernetesObject, options: DeleteOptions, now: number) => void
  /** Whether an object goes whose deletion has begun and whose metadata has no finalizers any more. Absent: it goes. */
  readonly shouldDeleteDuringUpdate?: (object: KubernetesObject) => boolean
  /**
   * How many seconds an object may stay when its deletion begins, of those that the request asks for; 0: it goes at once.
   * Absent: objects of the kind know no grace.
   */
  readonly checkGracefulDelete?: (object: KubernetesObject, requested: number | undefined) => number
}
