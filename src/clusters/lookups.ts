/** Lookups that a collection's Durable Object leaves to the Worker, and their transfer. */
import type { WebhookClientConfig } from '../catalog/generated/types/admissionregistration.v1.ts'
import type { AuthorizationCheck, AuthorizationDecision, AuthorizationSubject } from '../cel/libraries/authorizer.ts'
import type { JsonObject } from '../go/json-value.ts'
import { MissingLookups, type WorkerLookup } from '../meta/lookups.ts'
import type { NamespaceResult } from './namespace-facts.ts'
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
export type AccessDecision =
  | { readonly allowed: true }
  | {
      readonly allowed: false
      readonly refusal: string
      /** The reason and the error of the authorizers themselves. */
      readonly reason: string
      readonly error?: string
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

/** The images that a backend decides about. Follows ImageReviewSpec of imagepolicy.k8s.io/v1alpha1. */
export interface ImageReviewSpec {
  readonly containers?: readonly { readonly image?: string }[]
  readonly annotations?: Readonly<Record<string, string>>
  readonly namespace?: string
}

/** The decision of the backend. */
export interface ImageReviewResult {
  readonly allowed: boolean
  /** '' if the backend gives none. */
  readonly reason: string
  readonly auditAnnotations: Readonly<Record<string, string>>
}

/** The resource of a policy's paramKind. */
export interface ParamResource {
  readonly isNamespaced: boolean
  /** Whether its objects can be listed and watched: others are never found. */
  readonly isWatched: boolean
}

/** Selects the parameters of a policy: by name, or all that a label selector selects. */
export interface ParamSelection {
  readonly apiVersion: string
  readonly kind: string
  /** Ignored for cluster-scoped kinds. */
  readonly namespace: string
  readonly name?: string
  readonly selector?: string
}

/** Parameters of a policy with apiVersion and kind, by namespace and name. Empty if the kind does not exist. */
export type FoundParams = readonly JsonObject[]

/** The versions of AdmissionReview. */
export type ReviewVersion = 'v1' | 'v1beta1'

/** The call of an admission webhook. */
export interface AdmissionWebhookCall {
  readonly phase: 'mutating' | 'validating'
  readonly clientConfig: WebhookClientConfig
  /** Undefined for no timeout but that of the request. */
  readonly timeoutSeconds: number | undefined
  readonly version: ReviewVersion
  /** The JSON of the AdmissionRequest without its uid. */
  readonly request: string
}

/** The verified response of an admission webhook. */
export interface AdmissionWebhookResponse {
  readonly allowed: boolean
  /** The Status of a rejection. */
  readonly status?: JsonObject
  /** The JSON Patch as text; absent without a patch. */
  readonly patch?: string
  /** Absent unless it is JSONPatch. */
  readonly unsupportedPatchType?: string
  readonly auditAnnotations: Readonly<Record<string, string>>
  readonly warnings: readonly string[]
}

/** The result of a call: the response, or the reason of its failure and the HTTP code for metrics. */
export type AdmissionWebhookResult =
  | { readonly outcome: 'answered'; readonly response: AdmissionWebhookResponse; readonly seconds: number }
  | { readonly outcome: 'failed'; readonly reason: string; readonly code: number; readonly seconds: number }

/** Calls a webhook in the Durable Object in which admission runs. */
export type CallWebhook = (call: AdmissionWebhookCall) => Promise<AdmissionWebhookResult>

/**
 * The lookups that only the Worker can resolve: the parameters and result of each, which are JSON. Facts about other collections are
 * defined in registry/facts.
 */
export interface WorkerLookups {
  /** Whether the user may do something in addition to the request itself. */
  readonly access: { readonly parameters: AccessAttributes; readonly result: AccessDecision }
  /** The response of an admission webhook. Equal calls are made once for each operation. */
  readonly admissionWebhook: { readonly parameters: AdmissionWebhookCall; readonly result: AdmissionWebhookResult }
  /** The answer to an authorization check in an expression, for the user of the request or a ServiceAccount. */
  readonly authorization: {
    readonly parameters: { readonly subject: AuthorizationSubject; readonly check: AuthorizationCheck }
    readonly result: AuthorizationDecision
  }
  /** Whether the CustomResourceDefinition of a resource is being deleted. */
  readonly definitionIsTerminating: {
    readonly parameters: { readonly group: string; readonly version: string; readonly resource: string }
    readonly result: boolean
  }
  /** A reservation: the budget that selects the Pod counts one disruption. */
  readonly disruption: { readonly parameters: DisruptionRequest; readonly result: DisruptionResult }
  /** The decision of the image policy's backend, or its problem. */
  readonly imageReview: {
    readonly parameters: ImageReviewSpec
    readonly result: ImageReviewResult | { readonly problem: string }
  }
  /** The phase, labels and limits of a namespace; null if it does not exist. */
  readonly namespace: { readonly parameters: { readonly namespace: string }; readonly result: NamespaceResult | null }
  /** The fields of a Namespace that expressions of policies see; null if it does not exist. */
  readonly namespaceObject: { readonly parameters: { readonly namespace: string }; readonly result: JsonObject | null }
  /** The resource of a policy's paramKind; null if it does not exist. */
  readonly paramKind: {
    readonly parameters: { readonly apiVersion: string; readonly kind: string }
    readonly result: ParamResource | null
  }
  /** The parameters of a policy for one binding. */
  readonly policyParams: { readonly parameters: ParamSelection; readonly result: FoundParams }
  /** The priority of a PriorityClass ('' for the default class); null if the class does not exist. */
  readonly priority: { readonly parameters: { readonly className: string }; readonly result: PodPriority | null }
  /** Creates a namespace unless it exists: the namespace, or the reason why it cannot be created. */
  readonly provisionedNamespace: {
    readonly parameters: { readonly namespace: string }
    readonly result: { readonly namespace: NamespaceResult | null } | { readonly problem: string }
  }
  /** The resource of a custom kind; null if no definition serves it. */
  readonly resourceOfKind: {
    readonly parameters: { readonly group: string; readonly version: string; readonly kind: string }
    readonly result: { readonly resource: string; readonly namespaced: boolean } | null
  }
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
  const { lookups, state } = await response.json<WireLookups>()
  return { missing: new MissingLookups(lookups), state }
}
