/** The interface of admission plugins. Follows k8s.io/apiserver/pkg/admission. */
import type { Kind } from '../../catalog/kind.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { type ApiError, forbidden } from '../../meta/errors.ts'
import type { LookupResults, WorkerLookup } from '../../meta/lookups.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { User } from '../../meta/user.ts'
import type { Store } from '../../storage/store.ts'
import type { NameGenerator } from '../name-generator.ts'
import type { QuotaReservations } from '../quota-reservations.ts'

/** The operations of admission. A PUT or an apply that finds no object is a CREATE. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE'

/** The request that is admitted (admission.Attributes). */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation
  /** The kind of the request's resource. */
  readonly kind: Kind
  /** '' for the resource itself. */
  readonly subresource: string
  /** '' for cluster-scoped resources. */
  readonly namespace: string
  /** '' if the server generates the name. */
  readonly name: string
  /** Absent for deletions. */
  readonly user?: User
}

/** The context of the mutating phase. It may run in the Worker, for requests without a commit. */
export interface MutatingContext {
  /** Results of lookups. A missing one throws MissingLookups; the phase then runs again with the original object. */
  readonly lookups: LookupResults
  /** Generates random names. A repeated run of the phase gets the same names. */
  readonly names: NameGenerator
}

/** The context of the validating phase, which runs in a commit. */
export interface ValidatingContext {
  readonly lookups: LookupResults
  /** The store of the collection, without the transaction's writes. */
  readonly store: Store
  readonly quotas: QuotaReservations | undefined
  readonly commit: AdmittedCommit
}

/** The commit of the write that is validated. */
export interface AdmittedCommit {
  readonly dryRun: boolean
  /** The time of the write in milliseconds since the epoch. */
  readonly now: number
  /** Runs within the commit if the write succeeds: its database writes are part of the commit. */
  readonly alongside: (run: () => void) => void
}

/** The part of a plugin that handles some operations on some resources. */
export interface AdmissionHandler {
  readonly operations: readonly AdmissionOperation[]
  /** For example `pods`, `pods/ephemeralcontainers`; 'any': all resources and subresources; 'custom': all custom resources. */
  readonly resources: readonly string[] | 'any' | 'custom'
  /**
   * Returns the lookups that the request probably needs. The Worker sends their results with the operation, and missing ones are
   * looked up together. It is also called before decoding, so the object may be any JSON.
   */
  readonly lookups?: (attributes: AdmissionAttributes, object: JsonValue) => readonly WorkerLookup<unknown>[]
  /**
   * Runs in the mutating phase: after decoding and field management, before the strategy's hooks; for a DELETE after its
   * preconditions. It may change the object.
   * @param object in the version of the request, without uid, timestamps and generated name; empty for a DELETE
   * @param old absent for a CREATE
   * @throws ApiError to reject the request
   */
  readonly admit?: (
    attributes: AdmissionAttributes,
    object: KubernetesObject,
    old: KubernetesObject | undefined,
    context: MutatingContext,
  ) => void
  /**
   * Runs in the validating phase, after the strategy's validation. It must not change the object.
   * @param object in the internal version, which strategies see
   * @param old absent for a CREATE
   * @throws ApiError to reject the request
   */
  readonly validate?: (
    attributes: AdmissionAttributes,
    object: KubernetesObject,
    old: KubernetesObject | undefined,
    context: ValidatingContext,
  ) => void
}

/**
 * An admission plugin with kube-apiserver's name for it.
 * @example
 * const validate: AdmissionHandler['validate'] = (attributes, object) => {
 *   if ((object as Service).spec.type === 'LoadBalancer') throw admissionForbidden(attributes, object, 'no load balancers')
 * }
 * const denyLoadBalancers: AdmissionPlugin = {
 *   name: 'DenyLoadBalancers',
 *   handlers: [{ operations: ['CREATE', 'UPDATE'], resources: ['services'], validate }],
 * }
 */
export interface AdmissionPlugin {
  readonly name: string
  readonly handlers: readonly AdmissionHandler[]
}

/**
 * Returns the 403 error of a plugin. Follows admission.NewForbidden.
 * @param object the object of the request. The message falls back to its name or generateName if the request has no name.
 */
export function admissionForbidden({ kind, name }: AdmissionAttributes, { metadata }: KubernetesObject, why: string): ApiError {
  return forbidden(kind, name || metadata.name || metadata.generateName || 'Unknown', why)
}
