/** The admission plugin ValidatingAdmissionWebhook: calls all webhooks that match, in parallel. */

import type { ValidatingWebhook } from '../../../catalog/generated/types/admissionregistration.v1.ts'
import type { AdmissionWebhookResult } from '../../../clusters/lookups.ts'
import { ApiError } from '../../../meta/errors.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { equivalentsIn } from '../matching/equivalents.ts'
import { isExemptFromWebhooks } from '../matching/rules.ts'
import type { AdmissionAttributes, AdmissionPlugin, ValidatingContext } from '../plugin.ts'
import { matchWebhook, type PreparedCall, prepareCall } from '../webhooks/call.ts'
import { type WebhookHook, webhookHooks } from '../webhooks/hooks.ts'
import { failedCall, measureCall, rejectionOf, takeFindings } from '../webhooks/outcome.ts'
import { admissionRequest } from '../webhooks/review.ts'
import { webhookState } from '../webhooks/state.ts'

type Hook = WebhookHook<ValidatingWebhook>

/** A webhook that matches, with its call, or the error of a dry run that it does not support. */
interface Invocation {
  readonly hook: Hook
  readonly call: PreparedCall | { readonly error: ApiError }
}

/** The effects of a call: the error of the request, if it is rejected. */
type Effect = ApiError | undefined

function prepared(hook: Hook, request: () => string, options: Omit<Parameters<typeof prepareCall>[3], 'round'>): Invocation {
  try {
    return { hook, call: prepareCall(hook, 'validating', request(), { ...options, round: 0 }) }
  } catch (error) {
    if (error instanceof ApiError) return { hook, call: { error } }
    throw error
  }
}

/** Handles a call that failed: an error unless the failure policy is Ignore. @param position among the webhooks that match */
function failed(
  { name, isIgnoring }: { readonly name: string; readonly isIgnoring: boolean },
  reason: string,
  position: number,
  context: ValidatingContext,
): Effect {
  if (!isIgnoring) return failedCall(name, reason)
  context.measure('apiserver_admission_webhook_fail_open_count', [name, 'validating'])
  context.annotate(`failed-open.validating.webhook.admission.k8s.io/round_0_index_${position}`, name)
  return undefined
}

/** The work of the validating webhooks on one request. */
class ValidatingDispatch {
  readonly #operation: string
  readonly #context: ValidatingContext

  constructor({ operation }: AdmissionAttributes, context: ValidatingContext) {
    this.#operation = operation
    this.#context = context
  }

  /** Takes the effects of one webhook. @throws MissingLookups */
  take({ hook, call }: Invocation, position: number): Effect {
    if ('error' in call) {
      this.#measure(hook, 'apiserver_internal_error', 0, 0)
      return call.error
    }
    if ('reason' in call) return this.#failed(hook, call.reason, position, { code: 400, seconds: 0 })
    return this.#answered(hook, this.#context.lookups.get(call.lookup), position)
  }

  #answered(hook: Hook, result: AdmissionWebhookResult, position: number): Effect {
    if (result.outcome === 'failed') return this.#failed(hook, result.reason, position, result)
    const { response, seconds } = result
    const { name } = hook.webhook
    takeFindings(name, response, this.#context)
    if (response.allowed) {
      this.#measure(hook, undefined, 200, seconds)
      return undefined
    }
    const error = rejectionOf(name, response.status)
    this.#measure(hook, 'no_error', error.code, seconds)
    return error
  }

  #failed(
    hook: Hook,
    reason: string,
    position: number,
    { code, seconds }: { readonly code: number; readonly seconds: number },
  ): Effect {
    const { isIgnoring, webhook } = hook
    this.#measure(hook, isIgnoring ? undefined : 'calling_webhook_error', code, seconds)
    return failed({ name: webhook.name, isIgnoring }, reason, position, this.#context)
  }

  #measure({ webhook }: Hook, rejectedBy: Parameters<typeof measureCall>[1]['rejectedBy'], code: number, seconds: number): void {
    measureCall(this.#context, {
      name: webhook.name,
      phase: 'validating',
      operation: this.#operation,
      rejectedBy,
      code,
      seconds,
    })
  }
}

function validate(
  attributes: AdmissionAttributes,
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  context: ValidatingContext,
): void {
  const { configuration, lookups } = context
  if (configuration === undefined || configuration.validatingWebhooks.length === 0 || isExemptFromWebhooks(attributes.kind))
    return
  const state = webhookState(attributes, object, old, 'internal', context)
  const invocations = webhookHooks(configuration.validatingWebhooks, equivalentsIn(configuration)).flatMap(
    (hook): Invocation[] => {
      const matched = matchWebhook(hook, 'validating', state)
      if (matched === undefined) return []
      const request = (): string => admissionRequest(attributes, matched, state.reviewed(matched))
      return [prepared(hook, request, { dryRun: attributes.dryRun, callWebhook: context.callWebhook })]
    },
  )
  lookups.require(invocations.flatMap(({ call }) => ('lookup' in call ? [call.lookup] : [])))
  const dispatch = new ValidatingDispatch(attributes, context)
  // All webhooks are called, and all their findings taken. kube-apiserver reports the error that comes first.
  const errors = invocations.flatMap((invocation, position) => dispatch.take(invocation, position) ?? [])
  if (errors[0] !== undefined) throw errors[0]
}

/** Runs in the validating phase of every request that a webhook may match. Follows the package webhook/validating. */
export const validatingAdmissionWebhook: AdmissionPlugin = {
  name: 'ValidatingAdmissionWebhook',
  handlers: [{ operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'], resources: 'any', validate }],
}
