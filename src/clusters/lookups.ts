/** Lookups that a collection's Durable Object leaves to the Worker, and their transfer. */
import type { ResourceList } from '../catalog/generated/types/core.v1.ts'
import type { Scheduling } from '../catalog/generated/types/node.v1.ts'
import { MissingLookups, type WorkerLookup } from '../meta/lookups.ts'
import type { NamespaceResult } from './namespace-facts.ts'
import type { ExistingPods, PodsEvaluation } from './pod-security.ts'
import type { PodPriority } from './priority-classes.ts'

/** The attributes of a resource request for the authorizer. */
export interface AccessAttributes {
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

/** The decision of the authorizer, with kube-apiserver's message if the request is not allowed. */
export type AccessDecision = { readonly allowed: true } | { readonly allowed: false; readonly refusal: string }

/** The fields of a ServiceAccount that affect its Pods. */
export interface PodAccount {
  readonly automountServiceAccountToken?: boolean
  readonly imagePullSecrets: readonly string[]
  /** Undefined if its Pods may use all Secrets. */
  readonly mountableSecrets?: readonly string[]
}

/** The fields of a Node that affect its Pods. */
export interface PodNode {
  readonly labels: Readonly<Record<string, string>>
  readonly allocatable?: ResourceList
  readonly declaredFeatures?: readonly string[]
}

/** The fields of a RuntimeClass that affect its Pods. */
export interface PodRuntime {
  /** Undefined if the class defines no overhead; otherwise the amounts, possibly none. */
  readonly overhead?: ResourceList
  readonly scheduling?: Scheduling
}

/** The fields of a Pod that disruption budgets need. */
export interface DisruptedPod {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly ready: boolean
}

/** The result of a namespace's PodDisruptionBudgets for a Pod. */
export type Disruption =
  | { readonly outcome: 'unguarded' }
  /** The budget has counted the disruption. */
  | { readonly outcome: 'allowed' }
  /** The Pod is not ready, and no budget counts it as healthy: it may be evicted without counting a disruption. */
  | { readonly outcome: 'unready'; readonly budget: string }
  /** More than one budget selects the Pod, which the API does not support. */
  | { readonly outcome: 'several' }

/** The disruption of a Pod, which its budget has to allow and count. */
export interface DisruptionRequest {
  readonly namespace: string
  readonly pod: DisruptedPod
  /** The Pod's resourceVersion when the budget was evaluated. */
  readonly resourceVersion: string
  readonly dryRun: boolean
}

/** The result, and the Pod's resourceVersion when the budget was evaluated. */
export interface DisruptionResult {
  readonly disruption: Disruption
  readonly resourceVersion: string
}

/** The lookups of the Worker: the parameters and result of each, which are JSON. */
export interface WorkerLookups {
  /** Whether the user may do something in addition to the request itself. */
  readonly access: { readonly parameters: AccessAttributes; readonly result: AccessDecision }
  /** Whether the CustomResourceDefinition of a resource is being deleted. */
  readonly definitionIsTerminating: {
    readonly parameters: { readonly group: string; readonly version: string; readonly resource: string }
    readonly result: boolean
  }
  /** The name of the newest IngressClass that is marked as the default; null if no class is marked. */
  readonly defaultIngressClass: { readonly parameters: Record<string, never>; readonly result: string | null }
  /** The name of the newest StorageClass that is marked as the default; null if no class is marked. */
  readonly defaultStorageClass: { readonly parameters: Record<string, never>; readonly result: string | null }
  /** A reservation: the budget that selects the Pod counts one disruption. */
  readonly disruption: { readonly parameters: DisruptionRequest; readonly result: DisruptionResult }
  /** The Pods of a namespace that violate a Pod Security Standard; null if they cannot be read. */
  readonly existingPods: {
    readonly parameters: PodsEvaluation & { readonly namespace: string }
    readonly result: ExistingPods | null
  }
  /** The phase, labels and limits of a namespace; null if it does not exist. */
  readonly namespace: { readonly parameters: { readonly namespace: string }; readonly result: NamespaceResult | null }
  /** The fields of a Node that affect its Pods; null if it does not exist. */
  readonly node: { readonly parameters: { readonly name: string }; readonly result: PodNode | null }
  /** The priority of a PriorityClass ('' for the default class); null if the class does not exist. */
  readonly priority: { readonly parameters: { readonly className: string }; readonly result: PodPriority | null }
  /** The resource of a custom kind; null if no definition serves it. */
  readonly resourceOfKind: {
    readonly parameters: { readonly group: string; readonly version: string; readonly kind: string }
    readonly result: string | null
  }
  /** The fields of a RuntimeClass that affect its Pods; null if it does not exist. */
  readonly runtimeClass: { readonly parameters: { readonly name: string }; readonly result: PodRuntime | null }
  /** The fields of a ServiceAccount that affect its Pods; null if it does not exist. */
  readonly serviceAccount: {
    readonly parameters: { readonly namespace: string; readonly name: string }
    readonly result: PodAccount | null
  }
  /** Whether claims of a StorageClass may grow; false if the class does not exist. */
  readonly storageClassExpands: { readonly parameters: { readonly name: string }; readonly result: boolean }
}

/**
 * Makes a lookup of the Worker.
 * @param key a shorter key, for lookups of every create; or a key without parameters, for reservations, which an operation makes
 *   only once even if the parameters differ between its attempts
 */
export function workerLookup<Name extends keyof WorkerLookups>(
  name: Name,
  parameters: WorkerLookups[Name]['parameters'],
  key = `${name} ${JSON.stringify(parameters)}`,
): WorkerLookup<WorkerLookups[Name]['result']> {
  return { where: 'worker', key, name, parameters }
}

/** Makes the lookup of a namespace, which every create in a namespace expects. */
export const namespaceLookup = (namespace: string): WorkerLookup<NamespaceResult | null> =>
  workerLookup('namespace', { namespace }, `namespace ${namespace}`)

/** Results of lookups by the lookups' keys. They are sent with an operation. */
export type KnownResults = Readonly<Record<string, unknown>>

/** The random names and the time of an attempt: the next attempt uses the same. */
export interface AttemptState {
  readonly names: Readonly<Record<string, readonly string[]>>
  readonly now: number
}

/** Missing lookups in the transfer from the Durable Object to the Worker. */
interface WireLookups {
  readonly lookups: readonly WorkerLookup<unknown>[]
  readonly state: AttemptState
}

/** The missing lookups of an attempt, and its state. */
export interface FailedAttempt {
  readonly missing: MissingLookups
  readonly state: AttemptState
}

const lookupsHeader = 'edgeplane-missing-lookups'

/** Returns the Durable Object's response to an operation with missing lookups. */
export function missingLookupsResponse({ ofWorker }: MissingLookups, state: AttemptState): Response {
  const wire: WireLookups = { lookups: ofWorker, state }
  return new Response(JSON.stringify(wire), { status: 409, headers: { [lookupsHeader]: '1' } })
}

/** Reads the missing lookups from a response; undefined if the response has none. */
export async function readMissingLookups(response: Response): Promise<FailedAttempt | undefined> {
  if (response.headers.get(lookupsHeader) === null) return undefined
  const { lookups, state } = (await response.json()) as WireLookups
  return { missing: new MissingLookups(lookups), state }
}
