/** The interface of admission plugins. Follows k8s.io/apiserver/pkg/admission. */
import type { Kind } from '../../catalog/kind.ts'
import type { AdmissionConfiguration } from '../../clusters/admission-configuration.ts'
import type { CallWebhook } from '../../clusters/lookups.ts'
import type { RequestOptions } from '../../clusters/operation.ts'
import type { AdmissionSettings } from '../../config/admission/settings.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { type ApiError, forbidden } from '../../meta/errors.ts'
import type { LookupResults, WorkerLookup } from '../../meta/lookups.ts'
import type { AdmissionMetric } from '../../meta/metrics/definitions/admission.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { User } from '../../meta/user.ts'
import type { Store } from '../../storage/store.ts'
import type { NameGenerator } from '../name-generator.ts'
import type { QuotaReservations } from '../quota-reservations.ts'
import type { ReinvocationContext } from './reinvocation.ts'

/**
 * The operations of admission. A PUT or an apply that finds no object is a CREATE; CONNECT is a request to a subresource that is a
 * connection, such as pods/exec.
 */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

/** The request that is admitted (admission.Attributes). */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation
  /** The kind of the request's resource. */
  readonly kind: Kind
  /** '' for the resource itself. */
  readonly subresource: string
  /** '' for cluster-scoped resources. */
  readonly namespace: string
  /** '' for a deletecollection, and in the mutating phase if the server generates the name. */
  readonly name: string
  readonly user: User
  readonly dryRun: boolean
  /** The options of the request; absent if no policy or webhook may match the request. */
  readonly options?: RequestOptions
}

/** Takes the findings of admission that do not decide about the request. */
export interface AdmissionFindings {
  /** Adds a warning for the client, also if the request is rejected. */
  warn(text: string): void
  /** Adds an annotation to the audit record, also if the request is rejected. The first value of a key stays. */
  annotate(key: string, value: string): void
  /**
   * Records an observation of a metric.
   * @param labels the values of the metric's labels, in their order
   * @param value the seconds of a histogram; by default 1, for a counter
   */
  measure(metric: AdmissionMetric, labels: readonly string[], value?: number): void
}

/** The fields that the contexts of both phases share. */
interface AdmissionContext extends AdmissionFindings {
  /** The configurations of plugins. */
  readonly settings: AdmissionSettings
  /** Results of lookups. A missing one throws MissingLookups; the phase then runs again with the original object. */
  readonly lookups: LookupResults
  /** The policies and webhooks of the cluster; absent if none of them may match the request. */
  readonly configuration?: AdmissionConfiguration
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number
  /** Calls a webhook; absent in the Worker, which resolves the lookups of calls itself. */
  readonly callWebhook?: CallWebhook
  /** Returns the kind of a resource in another version; undefined if it does not exist. */
  readonly kindOf: (group: string, version: string, resource: string) => Kind | undefined
}

/** The context of the mutating phase. It may run in the Worker, for requests without a commit. */
export interface MutatingContext extends AdmissionContext {
  /** Generates random names. A repeated run of the phase gets the same names. */
  readonly names: NameGenerator
  /** Decides whether the chain runs a second time. A handler that the server itself brings runs again; it must tolerate that. */
  readonly reinvocation: ReinvocationContext
}

/** The context of the validating phase. It may run in the Worker, for requests without a commit. */
export interface ValidatingContext extends AdmissionContext {
  /** The store of the collection, without the transaction's writes; absent in the Worker. */
  readonly store?: Store
  /** The quotas of the cluster; absent in the Worker and in tests of a collection alone. */
  readonly quotas?: AdmittedQuotas
}

/** The quotas of the cluster in the validating phase of a write. */
export interface AdmittedQuotas {
  readonly reservations: QuotaReservations
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
  readonly lookups?: (
    attributes: AdmissionAttributes,
    object: JsonValue,
    configuration: AdmissionConfiguration | undefined,
  ) => readonly WorkerLookup<unknown>[]
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
export function admissionForbidden(
  { kind, name }: Pick<AdmissionAttributes, 'kind' | 'name'>,
  { metadata }: KubernetesObject,
  why: string,
): ApiError {
  return forbidden(kind, name || metadata.name || metadata.generateName || 'Unknown', why)
}
