/** Decides about a request by all ValidatingAdmissionPolicies. Follows the dispatcher of the package policy/validating. */

import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../../../catalog/generated/types/admissionregistration.v1.ts'
import { escapeHtml } from '../../../../go/text.ts'
import { ApiError } from '../../../../meta/errors.ts'
import type { Equivalents } from '../../matching/equivalents.ts'
import type { MatchedObjects } from '../../matching/selectors.ts'
import type { AdmissionFindings } from '../../plugin.ts'
import { errorType, measureCompilations, measureEvaluation } from '../shared/expression-metrics.ts'
import {
  type Invocation,
  type Misconfiguration,
  misconfigurationText,
  type PolicyBinding,
  type PolicyHook,
  PolicyHooks,
} from '../shared/hooks.ts'
import type { RequestValues } from '../shared/request-values.ts'
import { compileValidatingPolicy, type ValidatingEvaluator } from './compile.ts'
import { type PolicyAnnotation, type ValidationDecision, type ValidationResult, validatePolicy } from './validate.ts'

type Hook = PolicyHook<ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding, ValidatingEvaluator>
type Binding = PolicyBinding<ValidatingAdmissionPolicyBinding>

/** The validating policies of one state of the configuration. */
export type ValidatingHooks = PolicyHooks<ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding, ValidatingEvaluator>

/** Returns the validating policies of a configuration. Policies that have not changed are not compiled again. */
export function validatingHooks(
  policies: readonly ValidatingAdmissionPolicy[],
  bindings: readonly ValidatingAdmissionPolicyBinding[],
  equivalents: Equivalents,
): ValidatingHooks {
  return new PolicyHooks(policies, bindings, compileValidatingPolicy, equivalents)
}

type Effects = Pick<AdmissionFindings, 'warn' | 'annotate' | 'measure'>

/** A denial by a policy. */
export interface PolicyDenial {
  readonly reason: string
  readonly code: number
  readonly message: string
}

/** The reasons of denials with their HTTP status codes. */
const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413, Invalid: 422 }

const longestAnnotation = 10 * 1024

/** Returns the beginning of a text that has at most this many bytes of UTF-8. */
function beginning(text: string, bytes: number): string {
  const encoded = new TextEncoder().encode(text)
  return encoded.length <= bytes ? text : new TextDecoder().decode(encoded.subarray(0, bytes))
}

function denialOf(hook: Hook, binding: Binding | undefined, message: string, reason = 'Invalid'): PolicyDenial {
  const by = binding === undefined ? `'${hook.name}'` : `'${hook.name}' with binding '${binding.name}'`
  const text = `ValidatingAdmissionPolicy ${by} denied request: ${message}`
  return { reason, code: codes[reason] ?? 422, message: text }
}

/** The decisions about one request. */
class Dispatch {
  readonly #effects: Effects
  /** The first denial: kube-apiserver reports no other. */
  denial: PolicyDenial | undefined
  /** The values of the audit annotations, by policy and key. */
  readonly #annotations = new Map<string, string[]>()

  constructor(effects: Effects) {
    this.#effects = effects
  }

  misconfigured(wrong: Misconfiguration<Hook, Binding>): void {
    if (!wrong.hook.isIgnoring) this.denial ??= denialOf(wrong.hook, wrong.binding, misconfigurationText(wrong))
  }

  invoked({ hook, binding }: Invocation<Hook, Binding>, { decisions, annotations }: ValidationResult): void {
    for (const [index, decision] of decisions.entries()) this.#decided(hook, binding, decision, index)
    for (const annotation of annotations) this.#annotated(hook, binding, annotation)
  }

  #decided(hook: Hook, binding: Binding, decision: ValidationDecision, index: number): void {
    if (decision.outcome === 'admit') return
    const { message } = decision
    if (decision.outcome === 'ignoredError') {
      this.#measure(hook, binding, message, 'allow')
      return
    }
    const { policyName = '', validationActions = [] } = binding.binding.spec
    for (const action of validationActions) {
      this.#measure(hook, binding, message, action.toLowerCase())
      if (action === 'Deny') {
        this.denial ??= denialOf(hook, binding, message, decision.outcome === 'deny' ? decision.reason : undefined)
      } else if (action === 'Audit') {
        const failure = { message, policy: policyName, binding: binding.name, expressionIndex: index, validationActions }
        this.#effects.annotate('validation.policy.admission.k8s.io/validation_failure', escapeHtml(JSON.stringify([failure])))
      } else if (action === 'Warn') {
        const by = `ValidatingAdmissionPolicy '${hook.name}' with binding '${binding.name}'`
        this.#effects.warn(`Validation failed for ${by}: ${message}`)
      }
    }
  }

  #annotated(hook: Hook, binding: Binding, annotation: PolicyAnnotation): void {
    if ('error' in annotation) {
      this.denial ??= denialOf(hook, binding, annotation.error)
      this.#measure(hook, binding, annotation.error, 'deny')
      return
    }
    const key = `${hook.name}/${annotation.key}`
    const value = beginning(annotation.value, longestAnnotation)
    const known = this.#annotations.get(key) ?? []
    if (!known.includes(value)) this.#annotations.set(key, [...known, value])
  }

  /** Counts a decision. Its duration is unknown: clocks stand still during a commit. */
  #measure(hook: Hook, binding: Binding, message: string, action: string): void {
    const labels = [hook.name, binding.name, errorType(message), action]
    this.#effects.measure('apiserver_validating_admission_policy_check_total', labels)
    this.#effects.measure('apiserver_validating_admission_policy_check_duration_seconds', labels, 0)
  }

  /** Publishes the audit annotations. Several values of one key are joined. */
  publish(): void {
    for (const [key, values] of this.#annotations) this.#effects.annotate(key, values.join(', '))
  }
}

function evaluate(dispatch: Dispatch, invocation: Invocation<Hook, Binding>, values: RequestValues, effects: Effects): void {
  const { hook, matched, params } = invocation
  const conditionFailed = (): void => {
    const labels = [hook.name, 'policy', 'validate', values.request.operation]
    effects.measure('apiserver_admission_match_condition_evaluation_errors_total', labels)
  }
  const evaluated = { evaluator: hook.compiled(), isIgnoring: hook.isIgnoring, matched, values, conditionFailed }
  try {
    if (params.length > 0) values.convert(matched)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const text = `failed to convert object version: ${error.message}`
    dispatch.misconfigured({ kind: 'misconfiguration', hook, binding: invocation.binding, error: text })
    return
  }
  for (const _param of params) measureEvaluation(effects)
  // All parameters are evaluated before the first result has an effect.
  const results = params.map((param) => validatePolicy(evaluated, param))
  for (const result of results) dispatch.invoked(invocation, result)
}

/**
 * Evaluates all policies that apply to a request.
 * @returns the first denial; undefined if the request is admitted
 * @throws MissingLookups
 */
export function dispatchValidating(
  hooks: ValidatingHooks,
  values: RequestValues,
  objects: MatchedObjects,
  effects: Effects,
): PolicyDenial | undefined {
  const dispatch = new Dispatch(effects)
  for (const invocation of hooks.invocations(values, objects)) {
    if (invocation.kind === 'invocation') evaluate(dispatch, invocation, values, effects)
    else dispatch.misconfigured(invocation)
  }
  measureCompilations(effects)
  dispatch.publish()
  return dispatch.denial
}
