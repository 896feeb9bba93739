/** The content of the policy snapshot, and its parts, each of which the control object sends only after a change. */
import { type AdmissionConfiguration, noAdmissionObjects, shared } from './admission-configuration.ts'
import type { ApiServices } from './api-services.ts'
import type { ClusterLimits } from './cluster-terms.ts'
import type { DefinitionSummaries } from './definition-summary.ts'
import type { FlowControlObjects } from './flow-control-objects.ts'
import type { NamespaceFacts, NamespaceLimits, NamespaceResult } from './namespace-facts.ts'
import type { PriorityClasses } from './priority-classes.ts'
import type { RbacObjects } from './rbac-objects.ts'

/** One part of the snapshot, and the version by which the control object knows whether it has changed. */
interface Part<Value> {
  readonly version: string
  readonly value: Value
}

/** The cluster itself. */
export interface ClusterFacts {
  /** The uid of the Cluster object; '' for the default cluster. */
  readonly uid: string
  /** Absent if nothing is limited. */
  readonly limits?: ClusterLimits
  /** The release whose API the cluster serves, such as `1.21`; absent for the newest one. */
  readonly emulatedRelease?: string
}

/** A consistent state of all objects that decide about requests for other objects. */
export interface PolicySnapshot {
  readonly namespaces: Readonly<Record<string, NamespaceFacts>>
  readonly rbac: RbacObjects
  readonly flowControl: FlowControlObjects
  readonly priorityClasses: PriorityClasses
  readonly definitions: DefinitionSummaries
  /** The namespaces that have LimitRanges or ResourceQuotas. */
  readonly limits: Readonly<Record<string, NamespaceLimits>>
  readonly admission: AdmissionConfiguration
  readonly cluster: ClusterFacts
  /** The group versions that other API servers serve. */
  readonly apiServices: ApiServices
}

/** The parts of a snapshot by name. */
export type Parts = { readonly [Name in keyof PolicySnapshot]: Part<PolicySnapshot[Name]> }

/** The control object's response: the parts whose current versions the Worker does not have. */
export type PolicyChanges = Partial<Parts>

/** The parts of a Worker that has asked for none yet. */
export const unknownParts: Parts = {
  namespaces: { version: '', value: {} },
  rbac: { version: '', value: { clusterRoles: {}, roles: {}, bindings: [] } },
  flowControl: { version: '', value: { flowSchemas: [], priorityLevels: [] } },
  priorityClasses: { version: '', value: { byName: {} } },
  definitions: { version: '', value: {} },
  limits: { version: '', value: {} },
  admission: { version: '', value: noAdmissionObjects },
  cluster: { version: '', value: { uid: '' } },
  apiServices: { version: '', value: {} },
}

/** Returns the snapshot of these parts. */
export function snapshotOf(parts: Parts): PolicySnapshot {
  const values = Object.entries(parts).map(([name, { value }]) => [name, value])
  const snapshot = Object.fromEntries(values) as unknown as PolicySnapshot
  return { ...snapshot, admission: shared(snapshot.admission) }
}

/** Returns the facts and limits of a namespace; undefined if it does not exist. */
export function namespaceIn({ namespaces, limits }: PolicySnapshot, name: string): NamespaceResult | undefined {
  const facts = Object.hasOwn(namespaces, name) ? namespaces[name] : undefined
  if (facts === undefined || !Object.hasOwn(limits, name)) return facts
  return { ...facts, limits: limits[name] ?? {} }
}
