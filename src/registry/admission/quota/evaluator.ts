/**
 * The interface of quota evaluators: how much of which resources an object uses. Follows the interfaces of
 * k8s.io/apiserver/pkg/quota/v1. An evaluator reduces an object to its QuotaFacts. All else works on these facts alone, so that the
 * quotas of a cluster can be checked in another place than its objects.
 */

import type { QuotaFacts } from '../../../clusters/quota-messages.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'

/** A write whose use of resources may change. */
export interface EvaluatedWrite {
  readonly operation: 'CREATE' | 'UPDATE'
  readonly subresource: string
  readonly object: KubernetesObject
  /** Absent for a CREATE. */
  readonly old: KubernetesObject | undefined
}

/** The evaluator of one resource. */
export interface Evaluator {
  /** Whether a quota on the resource of this name limits the evaluator's objects. */
  readonly tracks: (name: string) => boolean
  /** Whether the write may use more. */
  readonly handles: (write: EvaluatedWrite) => boolean
  /**
   * Returns the facts about an object in its storage version.
   * @param now in milliseconds since the epoch: a Pod whose grace period has ended uses nothing
   */
  readonly factsOf: (object: KubernetesObject, now: number) => QuotaFacts
  /** The resources that every object uses once, whatever its fields; they are counted without reading the objects. */
  readonly counted: readonly string[]
  /** Whether the facts are the same for all objects. */
  readonly isByNumber: boolean
}
