/** The admission plugin MutatingAdmissionWebhook: calls webhooks one after the other, each with the object of the one before. */

import type { MutatingWebhook } from '../../../catalog/generated/types/admissionregistration.v1.ts'
import type { Kind } from '../../../catalog/kind.ts'
import { bodyKindOf } from '../../../catalog/scheme.ts'
import type { AdmissionWebhookResult } from '../../../clusters/lookups.ts'
import { sortedJson } from '../../../go/json-sorted.ts'
import type { JsonObject } from '../../../go/json-value.ts'
import { goQuote } from '../../../go/text.ts'
import { ApiError, internalError } from '../../../meta/errors.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { EquivalentResource } from '../matching/equivalents.ts'
import { equivalentsIn } from '../matching/equivalents.ts'
import { isExemptFromWebhooks } from '../matching/rules.ts'
import type { AdmissionAttributes, AdmissionPlugin, MutatingContext } from '../plugin.ts'
import { matchWebhook, prepareCall } from '../webhooks/call.ts'
import { type WebhookHook, webhookHooks } from '../webhooks/hooks.ts'
import { failedCall, measureCall, rejectionOf, takeFindings } from '../webhooks/outcome.ts'
import { applyPatch, decodePatch, UndecodablePatch } from '../webhooks/patch.ts'
import { admissionRequest } from '../webhooks/review.ts'
import { webhookState } from '../webhooks/state.ts'

const pluginName = 'MutatingAdmissionWebhook'

type Hook = WebhookHook<MutatingWebhook>

/** The mutating webhooks' work on one request in one run of the chain. */
class MutatingDispatch {
  readonly #attributes: AdmissionAttributes
  readonly #object: KubernetesObject
  readonly #old: KubernetesObject | undefined
  readonly #context: MutatingContext
  readonly #round: 0 | 1

  constructor(
    attributes: AdmissionAttributes,
    object: KubernetesObject,
    old: KubernetesObject | undefined,
    context: MutatingContext,
  ) {
    this.#attributes = attributes
    this.#object = object
    this.#old = old
    this.#context = context
    this.#round = context.reinvocation.isReinvoke ? 1 : 0
  }

  /** Calls the webhooks that match. @throws ApiError if one rejects the request or fails, MissingLookups */
  run(hooks: readonly Hook[]): void {
    const invocations = this.#context.reinvocation.invocationsOf(pluginName)
    if (this.#round === 1 && invocations.isChangedSinceOutput(this.#object)) invocations.requireReinvoking()
    for (const hook of hooks) {
      const matched = matchWebhook(
        hook,
        'mutating',
        webhookState(this.#attributes, this.#object, this.#old, 'request', this.#context),
      )
      if (matched === undefined || (this.#round === 1 && !invocations.isDue(hook.key))) continue
      const isChanged = this.#invoke(hook, matched)
      if (isChanged) {
        invocations.requireReinvoking()
        this.#context.reinvocation.request()
      }
      if (hook.webhook.reinvocationPolicy === 'IfNeeded') invocations.addReinvocable(hook.key)
    }
    invocations.setOutput(this.#object)
  }

  /** Calls a webhook. @returns whether it has changed the object */
  #invoke(hook: Hook, matched: EquivalentResource): boolean {
    let isChanged = false
    try {
      isChanged = this.#call(hook, matched)
      return isChanged
    } finally {
      this.#annotateMutation(hook, isChanged)
    }
  }

  #call(hook: Hook, matched: EquivalentResource): boolean {
    const { dryRun } = this.#attributes
    const state = webhookState(this.#attributes, this.#object, this.#old, 'request', this.#context)
    const reviewed = state.reviewed(matched)
    const request = admissionRequest(this.#attributes, matched, reviewed)
    const call = prepareCall(hook, 'mutating', request, { dryRun, round: this.#round, callWebhook: this.#context.callWebhook })
    if ('reason' in call) return this.#failed(hook, call.reason, 400, 0)
    return this.#answered(hook, matched, reviewed.object, this.#context.lookups.get(call.lookup))
  }

  #answered(hook: Hook, matched: EquivalentResource, before: string | undefined, result: AdmissionWebhookResult): boolean {
    const { seconds } = result
    if (result.outcome === 'failed') return this.#failed(hook, result.reason, result.code, seconds)
    const { response } = result
    const { name } = hook.webhook
    takeFindings(name, response, this.#context)
    if (!response.allowed) {
      const error = rejectionOf(name, response.status)
      this.#measure(hook, 'no_error', error.code, seconds)
      throw error
    }
    return this.#patched(hook, matched, before, result)
  }

  #patched(
    hook: Hook,
    matched: EquivalentResource,
    before: string | undefined,
    { response, seconds }: Extract<AdmissionWebhookResult, { readonly outcome: 'answered' }>,
  ): boolean {
    const { patch, unsupportedPatchType } = response
    const done = (): false => {
      this.#measure(hook, undefined, 200, seconds)
      return false
    }
    if (patch === undefined) return done()
    try {
      const operations = decodePatch(patch)
      if (operations === undefined) return done()
      if (before === undefined)
        throw internalError(
          `admission webhook ${goQuote(hook.webhook.name)} attempted to modify the object, which is not supported for this operation`,
        )
      if (unsupportedPatchType !== undefined)
        return this.#failed(hook, `unsupported patch type ${goQuote(unsupportedPatchType)}`, 400, seconds)
      const { object, isChanged } = applyPatch(this.#kindOf(matched), before, patch)
      this.#replace(matched, object)
      this.#annotate('patch', hook, { patch: operations, patchType: 'JSONPatch' })
      this.#measure(hook, undefined, 200, seconds)
      return isChanged
    } catch (error) {
      if (error instanceof UndecodablePatch)
        return this.#failed(hook, `received undecodable patch in webhook response: ${error.message}`, 503, seconds)
      if (error instanceof ApiError) this.#measure(hook, 'apiserver_internal_error', 0, seconds)
      throw error
    }
  }

  /** Returns the kind of the objects in the version of the webhook. */
  #kindOf({ group, version, resource }: EquivalentResource): Kind {
    const { kind, subresource } = this.#attributes
    const isOwn = group === kind.group && version === kind.version && resource === kind.resource
    const found = isOwn ? kind : this.#context.kindOf(group, version, resource)
    if (found === undefined) throw internalError(`no kind of ${resource} in ${group}/${version}`)
    return bodyKindOf(found, subresource)
  }

  /** Replaces the object by the patched one, converted to the version of the request. */
  #replace(matched: EquivalentResource, patched: JsonObject): void {
    const { kind, subresource } = this.#attributes
    const from = this.#kindOf(matched)
    const own = bodyKindOf(kind, subresource)
    let converted = patched as unknown as KubernetesObject
    if (from !== own) {
      const stored = from.conversion?.toStorage(converted) ?? converted
      converted = own.conversion?.fromStorage(stored) ?? stored
    }
    for (const field of Object.keys(this.#object)) if (field !== 'apiVersion' && field !== 'kind') delete this.#object[field]
    Object.assign(this.#object, converted)
  }

  /** Handles a call that failed. @throws ApiError unless the failure policy is Ignore */
  #failed(hook: Hook, reason: string, code: number, seconds: number): false {
    this.#measure(hook, hook.isIgnoring ? undefined : 'calling_webhook_error', code, seconds)
    if (!hook.isIgnoring) throw failedCall(hook.webhook.name, reason)
    this.#context.measure('apiserver_admission_webhook_fail_open_count', [hook.webhook.name, 'admit'])
    this.#context.annotate(`failed-open.mutation.webhook.admission.k8s.io/${this.#position(hook)}`, hook.webhook.name)
    return false
  }

  #position({ index }: Hook): string {
    return `round_${this.#round}_index_${index}`
  }

  #annotateMutation(hook: Hook, mutated: boolean): void {
    this.#annotate('mutation', hook, { mutated })
  }

  #annotate(what: 'mutation' | 'patch', hook: Hook, fields: JsonObject): void {
    const value = sortedPatch({ configuration: hook.configuration, webhook: hook.webhook.name, ...fields })
    this.#context.annotate(`${what}.webhook.admission.k8s.io/${this.#position(hook)}`, value)
  }

  #measure(hook: Hook, rejectedBy: Parameters<typeof measureCall>[1]['rejectedBy'], code: number, seconds: number): void {
    const { operation } = this.#attributes
    measureCall(this.#context, { name: hook.webhook.name, phase: 'mutating', operation, rejectedBy, code, seconds })
  }
}

/** Encodes an annotation: its fields in order, the operations of a patch with sorted keys. */
function sortedPatch(fields: JsonObject): string {
  return `{${Object.entries(fields)
    .map(([key, value]) => `${JSON.stringify(key)}:${sortedJson(value)}`)
    .join(',')}}`
}

function admit(
  attributes: AdmissionAttributes,
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  context: MutatingContext,
): void {
  const { configuration } = context
  if (configuration === undefined || configuration.mutatingWebhooks.length === 0 || isExemptFromWebhooks(attributes.kind)) return
  new MutatingDispatch(attributes, object, old, context).run(
    webhookHooks(configuration.mutatingWebhooks, equivalentsIn(configuration)),
  )
}

/** Runs in the mutating phase of every request that a webhook may match. Follows the package webhook/mutating. */
export const mutatingAdmissionWebhook: AdmissionPlugin = {
  name: pluginName,
  handlers: [{ operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'], resources: 'any', admit }],
}
