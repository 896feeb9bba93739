/** The contract of admission plugins. Follows k8s.io/apiserver/pkg/admission. */
import type { Kind } from '../../catalog/kind.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { type ApiError, forbidden } from '../../meta/errors.ts'
import type { LookupResults, WorkerLookup } from '../../meta/lookups.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { User } from '../../meta/user.ts'
import type { Store } from '../../storage/store.ts'
import type { NameGenerator } from '../name-generator.ts'

/** The operations of admission. A PUT or an apply that finds no object is a CREATE. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE'

/** The request that is admitted. */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation
  /** As the request names it. */
  readonly kind: Kind
  /** '' for the resource itself. */
  readonly subresource: string
  /** '' for cluster-scoped resources. */
  readonly namespace: string
  /** '' if the server is to generate it. */
  readonly name: string
  /** Absent for deletions. */
  readonly user?: User
}

/** Facts and facilities of the mutating phase. It may run in the Worker, for requests that no commit follows. */
export interface MutatingContext {
  /** Facts from elsewhere. Missing ones throw MissingLookups: the phase then runs again with the object as it was sent. */
  readonly lookups: LookupResults
  /** Draws random names: the same ones again when the phase runs again. */
  readonly names: NameGenerator
}

/** Facts of the validating phase, which runs in a commit. */
export interface ValidatingContext {
  readonly lookups: LookupResults
  /** The store of the collection, without the transaction's writes. */
  readonly store: Store
}

/** A part of a plugin: it handles these operations on these resources. */
export interface AdmissionHandler {
  readonly operations: readonly AdmissionOperation[]
  /** `pods`, `pods/ephemeralcontainers`, `nodes`; 'any': all resources and subresources; 'custom': those of definitions. */
  readonly resources: readonly string[] | 'any' | 'custom'
  /**
   * Names the lookups that the request needs in all likelihood: the Worker sends their results along, and those that are missing
   * are looked up together. It is called before anything is decoded, too: nothing of the object is certain.
   */
  readonly lookups?: (attributes: AdmissionAttributes, object: JsonValue) => readonly WorkerLookup<unknown>[]
  /**
   * The mutating phase: runs after decoding and field management, before the strategy's hooks; on a DELETE after its preconditions.
   * It may change the object.
   * @param object in the version of the request, without uid, times and generated name; for a DELETE without content
   * @param old absent for a CREATE
   * @throws ApiError to refuse the request
   */
  readonly admit?: (
    attributes: AdmissionAttributes,
    object: KubernetesObject,
    old: KubernetesObject | undefined,
    context: MutatingContext,
  ) => void
  /**
   * The validating phase: runs on an object that the strategy has found valid. It changes nothing.
   * @param object in the version in which strategies see it
   * @param old absent for a CREATE
   * @throws ApiError to refuse the request
   */
  readonly validate?: (
    attributes: AdmissionAttributes,
    object: KubernetesObject,
    old: KubernetesObject | undefined,
    context: ValidatingContext,
  ) => void
}

/** An admission plugin, under kube-apiserver's name for it. */
export interface AdmissionPlugin {
  readonly name: string
  readonly handlers: readonly AdmissionHandler[]
}

/**
 * 403 of a plugin, with the name that the object will have or the one to generate. Follows admission.NewForbidden.
 * @param object may be without a name
 */
export function admissionForbidden({ kind, name }: AdmissionAttributes, { metadata }: KubernetesObject, why: string): ApiError {
  return forbidden(kind, name || metadata.name || metadata.generateName || 'Unknown', why)
}
