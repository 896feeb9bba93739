/**
 * The interface of strategy hooks: the functions of a kind that StrategyOptions cannot express. Follows the strategy interfaces
 * of k8s.io/apiserver/pkg/registry/rest. Hooks run inside the Durable Object's commit: they are synchronous and do no I/O.
 */

import type { RbacPolicy } from '../auth/rbac/policy.ts'
import type { Kind } from '../catalog/kind.ts'
import type { Warn } from '../catalog/warnings/warn.ts'
import type { DeleteOptions, WriteOptions } from '../clusters/operation.ts'
import type { ClusterOwnerLimits } from '../config/cluster-owner-limits.ts'
import type { ApiError } from '../meta/errors.ts'
import type { FieldError } from '../meta/field-error.ts'
import type { LookupResults } from '../meta/lookups.ts'
import type { ValidateName } from '../meta/names.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { User } from '../meta/user.ts'
import type { WarningRecorder } from '../meta/warnings.ts'
import type { Store, Transaction } from '../storage/store.ts'
import type { NameGenerator } from './name-generator.ts'

/** Parts of the collection's Durable Object that only few strategies need. */
export interface CollectionServices {
  /** The collection's store, without the transaction's writes. */
  readonly store: Store
  /** The CIDR of cluster IPs, for example `10.0.0.0/16`. */
  readonly serviceCidr: string
  /** Generates names, uids and random numbers of new objects: the same ones when a write runs again. */
  readonly names: NameGenerator
  /** The limits of those who make clusters; absent in named clusters, which make none. */
  readonly clusterOwnerLimits?: ClusterOwnerLimits
  /** Returns the cluster's RBAC policy. Absent in Durable Objects that do not store roles and bindings. */
  readonly rbac?: () => RbacPolicy
}

/** The context of a hook. */
export interface StrategyContext {
  /** The kind in the version of the request. */
  readonly kind: Kind
  readonly transaction: Transaction
  /** The client; absent if the server itself writes. */
  readonly user?: User
  readonly write: Pick<WriteOptions, 'dryRun' | 'fromPatch'>
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Warnings for the client. They are also sent if the write is rejected. */
  readonly warnings: WarningRecorder
  /** Results of lookups. A missing one throws MissingLookups: the commit then runs again. */
  readonly lookups: LookupResults
  readonly services: CollectionServices
}

/** The context of a hook of a create. */
export interface CreateContext extends StrategyContext {
  /** Whether the server generates the name. */
  readonly isNameGenerated: boolean
}

/** Adds a warning for the client. It is also sent if the write is rejected. */
export type AddWarning = (text: string) => void

/** The hooks of writes to one subresource: `status`, `finalize`, `approval` … */
export interface SubresourceHooks {
  /** Runs before managedFields are updated. May change the new object, to make redundant fields consistent. */
  readonly normalize?: (object: KubernetesObject, old: KubernetesObject) => void
  /** Runs before an update is validated, after reset fields were restored. May change the new object. */
  readonly prepareForUpdate?: (object: KubernetesObject, old: KubernetesObject, context: StrategyContext) => void
  /** Returns the errors of an update except those in metadata. Must not change the objects. */
  readonly validateUpdate?: (object: KubernetesObject, old: KubernetesObject, warn: AddWarning) => FieldError[]
  /** Adds errors for missing permissions. */
  readonly permit?: Permit
}

/**
 * Returns the errors found so far, and those of missing permissions.
 * @param old absent for a create
 */
export type Permit = (
  found: FieldError[],
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  context: StrategyContext,
) => FieldError[]

/**
 * The hooks of one kind. All are optional: the default strategy needs none.
 * @example
 * const limitRangeHooks: StrategyHooks = {
 *   ...withValidation(validateLimitRange),
 *   prepareForCreate(object, { services }) {
 *     object.metadata.name ||= services.names.uid()
 *   },
 * }
 */
export interface StrategyHooks {
  /** Returns the error to reject this write with, or undefined. Runs before all changes. `old` is absent for a create. */
  readonly authorizeWrite?: (
    object: KubernetesObject,
    old: KubernetesObject | undefined,
    context: StrategyContext,
  ) => Error | undefined
  /** Runs before prepareForCreate, except if a write to /status creates. May change the new object. */
  readonly beginCreate?: (object: KubernetesObject, context: CreateContext) => void
  /** Runs before a create is validated. May change the new object. */
  readonly prepareForCreate?: (object: KubernetesObject, context: CreateContext) => void
  /** Runs before an update of the resource itself is validated. May change the new object. */
  readonly prepareForUpdate?: (object: KubernetesObject, old: KubernetesObject, context: StrategyContext) => void
  /**
   * Returns the errors of an object that takes long to validate, instead of `validate` and `validateUpdate`; undefined to let
   * those
   * run. Called only for requests, because writes of the server itself have no lookups. Must not change the objects. Throws
   * MissingLookups.
   * @param old absent for a create
   * @param kind has the version of the request
   */
  readonly lookUpErrors?: (
    object: KubernetesObject,
    old: KubernetesObject | undefined,
    lookups: LookupResults,
    kind: Kind,
  ) => FieldError[] | undefined
  /**
   * Returns the errors of a new object except those in metadata. `kind` has the version of the request. Must not change the
   * object.
   */
  readonly validate?: (object: KubernetesObject, kind: Kind) => FieldError[]
  /** Returns the errors of an updated object outside of metadata. Must not change the objects. */
  readonly validateUpdate?: (object: KubernetesObject, old: KubernetesObject, kind: Kind, warn: AddWarning) => FieldError[]
  /** Returns the errors of forbidden changes, if the kind validates them separately. Must not change the objects. */
  readonly validateChange?: (object: KubernetesObject, old: KubernetesObject) => FieldError[]
  /** Returns the validation of names, if it depends on the object. */
  readonly validateNameOf?: (object: KubernetesObject) => ValidateName
  /** Adds errors for missing permissions. */
  readonly permit?: Permit
  /** Hooks of subresources that have the kind of the object, by the name of the subresource. */
  readonly subresources?: Readonly<Record<string, SubresourceHooks>>
  /** Records warnings about a valid new or updated object (WarningsOnCreate, WarningsOnUpdate). Must not change the objects. */
  readonly warn?: Warn
  /** Sets what kube-apiserver defaults when it reads a new object from etcd: in a valid one that admission has seen without it. */
  readonly defaultOnRead?: (object: KubernetesObject) => void
  /** Whether an update keeps the generation. Absent: if all fields except metadata and status are unchanged. */
  readonly isSpecUnchanged?: (object: KubernetesObject, old: KubernetesObject) => boolean
  /** Returns the error to reject a deletion with, or undefined. Runs before all changes. */
  readonly validateDelete?: (object: KubernetesObject, options: DeleteOptions) => Error | undefined
  /** Returns the error to reject the deletion of a name with, or undefined. Not for a deletecollection, as in kube-apiserver. */
  readonly refuseDelete?: (name: string) => ApiError | undefined
  /** Changes an object whose deletion begins, instead of the default. The object stays even without finalizers. */
  readonly beginDelete?: (object: KubernetesObject, options: DeleteOptions, now: number) => void
  /** Whether an update removes an object whose deletion has begun and whose metadata has no finalizers. Absent: it does. */
  readonly shouldDeleteDuringUpdate?: (object: KubernetesObject) => boolean
  /**
   * Returns the granted grace period in seconds; 0 to remove the object at once. Absent: the kind has no graceful deletion.
   * @param requested gracePeriodSeconds of the options
   */
  readonly checkGracefulDelete?: (object: KubernetesObject, requested: number | undefined) => number
}
