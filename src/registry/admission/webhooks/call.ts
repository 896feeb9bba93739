/** Decides whether a webhook is called, and makes its call a lookup. Follows ShouldCallHook and the dispatchers. */
import { createHash } from 'node:crypto'
import { type AdmissionWebhookResult, type CallWebhook, type ReviewVersion, workerLookup } from '../../../clusters/lookups.ts'
import { badRequest, forbidden } from '../../../meta/errors.ts'
import type { Lookup } from '../../../meta/lookups.ts'
import type { EquivalentResource } from '../matching/equivalents.ts'
import type { MatchedObjects } from '../matching/selectors.ts'
import type { AdmissionAttributes, AdmissionFindings } from '../plugin.ts'
import { policyActivation } from '../policy/shared/expressions.ts'
import { matchConditions } from '../policy/shared/match-conditions.ts'
import type { RequestValues } from '../policy/shared/request-values.ts'
import type { AnyWebhook, WebhookHook } from './hooks.ts'

/** The phase of a webhook; metrics call the mutating phase `admit`. */
export type WebhookPhase = 'mutating' | 'validating'

/** The names of the phases in metrics. */
export const phaseLabel: Readonly<Record<WebhookPhase, string>> = { mutating: 'admit', validating: 'validating' }

const reviewVersions: readonly ReviewVersion[] = ['v1', 'v1beta1']

/** A request in the state in which a webhook matches it. */
export interface MatchedState {
  readonly attributes: AdmissionAttributes
  readonly objects: MatchedObjects
  /** Returns the values for match conditions. */
  readonly values: () => RequestValues
  readonly findings: AdmissionFindings
}

/**
 * Returns the resource in whose version a webhook wants to see the object; undefined if it is not called.
 * @throws ApiError if a selector or a match condition fails, MissingLookups
 */
export function matchWebhook(
  hook: WebhookHook<AnyWebhook>,
  phase: WebhookPhase,
  state: MatchedState,
): EquivalentResource | undefined {
  const { attributes, objects, findings } = state
  const matched = hook.matcher.match(attributes, objects)
  if (matched === undefined || (hook.webhook.matchConditions ?? []).length === 0) return matched
  const values = state.values()
  const activation = policyActivation(values.activation(matched, null, 'conditions'), [])
  const outcome = matchConditions(hook.conditions(), activation, hook.isIgnoring)
  const labels = [hook.webhook.name, 'webhook', phase === 'mutating' ? 'admit' : 'validate', attributes.operation]
  findings.measure('apiserver_admission_match_condition_evaluation_seconds', labels, 0)
  if ('error' in outcome) throw forbidden(attributes.kind, attributes.name, outcome.error)
  if (outcome.matches) return matched
  findings.measure('apiserver_admission_match_condition_exclusions_total', labels)
  return undefined
}

/** A call, or the reason why a webhook cannot be called. */
export type PreparedCall = { readonly lookup: Lookup<AdmissionWebhookResult> } | { readonly reason: string }

/**
 * Prepares the call of a webhook.
 * @param request the JSON of the AdmissionRequest, without uid
 * @param options round is 1 if the mutating phase runs a second time; without callWebhook, the Worker calls
 * @throws ApiError 400 for a dry run that the webhook does not support
 */
export function prepareCall(
  { webhook, key, index }: WebhookHook<AnyWebhook>,
  phase: WebhookPhase,
  request: string,
  options: { readonly dryRun: boolean; readonly round: 0 | 1; readonly callWebhook: CallWebhook | undefined },
): PreparedCall {
  const { dryRun, round, callWebhook } = options
  const { name, clientConfig, sideEffects, timeoutSeconds } = webhook
  if (dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun')
    throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`)
  const version = (webhook.admissionReviewVersions ?? []).find((each) => reviewVersions.some((one) => one === each))
  if (version === undefined) {
    const reason = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)'
    return { reason: `could not create admission objects: ${reason}` }
  }
  // The digest stands for the request: an object that others have changed meanwhile leads to another call.
  const digest = createHash('sha256').update(request).digest('base64')
  const parameters = { phase, clientConfig, timeoutSeconds, version: version as ReviewVersion, request }
  const lookupKey = `admissionWebhook ${key} ${index} ${round} ${digest}`
  if (callWebhook === undefined) return { lookup: workerLookup('admissionWebhook', parameters, lookupKey) }
  return { lookup: { where: 'object', key: lookupKey, resolve: async () => ({ result: await callWebhook(parameters) }) } }
}
