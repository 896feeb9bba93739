/** Lookups that a collection's Durable Object leaves to the Worker, and how they travel. */
import { MissingLookups, type WorkerLookup } from '../meta/lookups.ts'
import type { NamespacePhase } from './namespace-phase.ts'
import type { PodPriority } from './priority-classes.ts'

/** A resource request, as the authorizer sees it. */
export interface AccessAttributes {
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

/** Whether the client may do something, and else kube-apiserver's message. */
export type AccessDecision = { readonly allowed: true } | { readonly allowed: false; readonly refusal: string }

/** The fields of a ServiceAccount that its Pods depend on. */
export interface PodAccount {
  readonly automountServiceAccountToken?: boolean
  readonly imagePullSecrets: readonly string[]
  /** Absent if its Pods may use all Secrets. */
  readonly mountableSecrets?: readonly string[]
}

/** A Pod as disruption budgets see it. */
export interface DisruptedPod {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly ready: boolean
}

/** The answer of the disruption budgets of a namespace about a Pod. */
export type Disruption =
  | { readonly outcome: 'unguarded' }
  /** The budget has counted the disruption. */
  | { readonly outcome: 'allowed' }
  /** The Pod is not ready and counts for no budget: it may go as it is, uncounted. */
  | { readonly outcome: 'unready'; readonly budget: string }
  /** More than one budget guards the Pod, which the API does not support. */
  | { readonly outcome: 'several' }

/** A disruption of a Pod, which its budget is to allow and to count. */
export interface DisruptionRequest {
  readonly namespace: string
  readonly pod: DisruptedPod
  /** The Pod's, when the budget was asked. */
  readonly resourceVersion: string
  readonly dryRun: boolean
}

/** The outcome, and the Pod's resourceVersion when the budget was asked. */
export interface DisruptionResult {
  readonly disruption: Disruption
  readonly resourceVersion: string
}

/** The lookups of the Worker: parameters and result of each. All of it is JSON. */
export interface WorkerLookups {
  /** Whether the client may do this beside its request. */
  readonly access: { readonly parameters: AccessAttributes; readonly result: AccessDecision }
  /** Whether the CustomResourceDefinition of a resource is on its way out. */
  readonly definitionIsTerminating: {
    readonly parameters: { readonly group: string; readonly version: string; readonly resource: string }
    readonly result: boolean
  }
  /** A reservation: the budget that guards the Pod counts one disruption. */
  readonly disruption: { readonly parameters: DisruptionRequest; readonly result: DisruptionResult }
  /** The labels of a namespace; null if there is no such namespace. */
  readonly namespaceLabels: {
    readonly parameters: { readonly namespace: string }
    readonly result: Readonly<Record<string, string>> | null
  }
  /** The phase of a namespace; null if there is no such namespace. */
  readonly namespacePhase: { readonly parameters: { readonly namespace: string }; readonly result: NamespacePhase | null }
  /** The priority of a PriorityClass, '' for the default one; null if there is no class of the name. */
  readonly priority: { readonly parameters: { readonly className: string }; readonly result: PodPriority | null }
  /** The resource of a custom kind; null if no definition serves it. */
  readonly resourceOfKind: {
    readonly parameters: { readonly group: string; readonly version: string; readonly kind: string }
    readonly result: string | null
  }
  /** A ServiceAccount, as its Pods depend on it; null if it does not exist. */
  readonly serviceAccount: {
    readonly parameters: { readonly namespace: string; readonly name: string }
    readonly result: PodAccount | null
  }
}

/**
 * A lookup of the Worker.
 * @param key given for lookups of every create, which it makes shorter; and for reservations, which an operation makes once,
 *   whatever has changed between its attempts
 */
export function workerLookup<Name extends keyof WorkerLookups>(
  name: Name,
  parameters: WorkerLookups[Name]['parameters'],
  key = `${name} ${JSON.stringify(parameters)}`,
): WorkerLookup<WorkerLookups[Name]['result']> {
  return { where: 'worker', key, name, parameters }
}

/** Results of lookups as they travel with an operation, by the lookups' keys. */
export type KnownResults = Readonly<Record<string, unknown>>

/** Random names and the time of an attempt: the next attempt has the same. */
export interface AttemptState {
  readonly names: Readonly<Record<string, readonly string[]>>
  readonly now: number
}

/** Missing lookups on their way from the Durable Object to the Worker. */
interface WireLookups {
  readonly lookups: readonly WorkerLookup<unknown>[]
  readonly state: AttemptState
}

/** Missing lookups, and the state of the attempt that they ended. */
export interface FailedAttempt {
  readonly missing: MissingLookups
  readonly state: AttemptState
}

const lookupsHeader = 'edgeplane-missing-lookups'

/** The answer of the Durable Object to an operation whose lookups are missing. */
export function missingLookupsResponse({ ofWorker }: MissingLookups, state: AttemptState): Response {
  const wire: WireLookups = { lookups: ofWorker, state }
  return new Response(JSON.stringify(wire), { status: 409, headers: { [lookupsHeader]: '1' } })
}

/** Reads the missing lookups of an answer; undefined if it is another answer. */
export async function readMissingLookups(response: Response): Promise<FailedAttempt | undefined> {
  if (response.headers.get(lookupsHeader) === null) return undefined
  const { lookups, state } = (await response.json()) as WireLookups
  return { missing: new MissingLookups(lookups), state }
}
