/** The dependencies and the result of the verbs. */

import type { Kind } from '../catalog/kind.ts'
import type { ResourceConfig } from '../catalog/resource-config.ts'
import type { AdmissionConfiguration } from '../clusters/admission-configuration.ts'
import type { AdmissionWebhookCall, AdmissionWebhookResult } from '../clusters/lookups.ts'
import type { NamespacePhase } from '../clusters/namespace-facts.ts'
import type { RequestOptions } from '../clusters/operation.ts'
import type { AdmissionSettings } from '../config/admission/settings.ts'
import type { RequestFindings } from '../meta/findings.ts'
import type { LookupResults, MissingLookups } from '../meta/lookups.ts'
import type { Transaction } from '../storage/store.ts'
import type { ClusterAllowance } from './cluster-allowance.ts'
import type { CollectionServices } from './hooks.ts'
import type { OwnerSubscriptions } from './owners.ts'
import type { QuotaReservations } from './quota-reservations.ts'
import type { StoreMetrics } from './store-metrics.ts'

/** The dependencies of the verbs in one Durable Object. */
export interface Registry extends CollectionServices {
  /** Returns the kind of a resource in a version; undefined if it does not exist. */
  readonly kindOf: (group: string, version: string, resource: string) => Kind | undefined
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number
  /** The deadline of the request, in milliseconds since the epoch; absent if no client waits. */
  readonly deadline?: number
  /** Counts operations and watches; absent if no metrics are collected. */
  readonly metrics?: StoreMetrics
  /** The subscriptions to the collections of owners. */
  readonly owners: OwnerSubscriptions
  /** The quotas of the cluster; absent in tests of a collection alone. */
  readonly quotas?: QuotaReservations
  /** The limits of the cluster; absent in the default cluster. */
  readonly allowance?: ClusterAllowance
  /**
   * Returns the phase of the namespace of a new object, as it is at the commit; null if it does not exist. Absent in tests of a
   * collection alone.
   * @throws MissingLookups
   */
  readonly namespacePhase?: (place: PlaceOfCreate) => NamespacePhase | null
  /** Returns the resources that the cluster serves. Absent if they are not known here: the controllers of a named cluster's collection. */
  readonly resourceConfig?: () => ResourceConfig
  /** The results of the operation's lookups. Absent for writes of the server itself, which are not retried. */
  readonly lookups?: LookupResults
  /** Present if the operation is a write that takes long: see apart.ts. */
  readonly isLongWrite?: true
  /** Returns missing lookups, with those of the Worker that this object can resolve as its own; absent if it can resolve none. */
  readonly withOwnFacts?: (missing: MissingLookups) => MissingLookups
  /**
   * Returns the cluster's admission configuration.
   * @param tag of the Worker that sends the operation: the configuration is this one or a newer one
   */
  readonly admissionConfiguration: (tag: string) => AdmissionConfiguration | Promise<AdmissionConfiguration>
  /** The enabled admission plugins and their configurations. */
  readonly admissionSettings: AdmissionSettings
  /** Returns the present admission configuration, for a write of the server itself. */
  readonly currentAdmission: () => AdmissionConfiguration | Promise<AdmissionConfiguration>
  /**
   * Calls an admission webhook.
   * @param deadline of the request in milliseconds since the epoch; undefined if it has none
   */
  readonly callWebhook?: (call: AdmissionWebhookCall, deadline: number | undefined) => Promise<AdmissionWebhookResult>
  /** The policies and webhooks, and the request's options for them; absent if none of them may match the operation. */
  readonly admission?: AdmissionOfRequest
}

/** The collection and the namespace of a new object, within the commit that stores it. */
export interface PlaceOfCreate {
  readonly kind: Kind
  /** '' for a cluster-scoped object. */
  readonly namespace: string
  readonly transaction: Transaction
  readonly lookups: LookupResults
}

/** The admission configuration of an operation. */
export interface AdmissionOfRequest {
  readonly configuration: AdmissionConfiguration
  readonly options: RequestOptions
}

/** The result of a verb: the object or Status as JSON, with the HTTP status code. */
export interface WriteResult {
  readonly code: 200 | 201 | 202
  readonly text: string
  /** The value of an object that was read and is stored as another version. */
  readonly stored?: string
  readonly warnings?: readonly string[]
  readonly findings?: RequestFindings
}
