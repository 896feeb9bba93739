/**
 * Mutates the object of a request by all MutatingAdmissionPolicies. Follows the dispatcher of the package policy/mutating and the
 * policy dispatcher of the package policy/generic.
 */

import { equalValues } from '../../../../apply/value.ts'
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
} from '../../../../catalog/generated/types/admissionregistration.v1.ts'
import type { JsonObject } from '../../../../go/json-value.ts'
import { goQuote } from '../../../../go/text.ts'
import { type LookupResults, MissingLookups } from '../../../../meta/lookups.ts'
import type { KubernetesObject } from '../../../../meta/object-meta.ts'
import type { EquivalentResource, Equivalents } from '../../matching/equivalents.ts'
import type { MatchedObjects } from '../../matching/selectors.ts'
import type { AdmissionFindings } from '../../plugin.ts'
import type { Invocations, ReinvocationContext } from '../../reinvocation.ts'
import { errorType, measureCompilations, measureEvaluation } from '../shared/expression-metrics.ts'
import { evaluateExpressions, policyActivation, policyBudget } from '../shared/expressions.ts'
import {
  type Invocation,
  type Misconfiguration,
  misconfigurationText,
  type PolicyBinding,
  type PolicyHook,
  PolicyHooks,
} from '../shared/hooks.ts'
import { matchConditions } from '../shared/match-conditions.ts'
import { type PolicyRequest, RequestValues } from '../shared/request-values.ts'
import { compileMutatingPolicy, type MutatingEvaluator, type Mutation } from './compile.ts'
import { MutationError } from './mutation-error.ts'
import { type MutatedVersion, type MutatedVersions, seenObjects } from './objects.ts'
import { applyMutation, patchMutation } from './patches.ts'

type Hook = PolicyHook<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, MutatingEvaluator>
type Binding = PolicyBinding<MutatingAdmissionPolicyBinding>

/** The mutating policies of one state of the configuration. */
export type MutatingHooks = PolicyHooks<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, MutatingEvaluator>

/** Returns the mutating policies of a configuration. Policies that have not changed are not compiled again. */
export function mutatingHooks(
  policies: readonly MutatingAdmissionPolicy[],
  bindings: readonly MutatingAdmissionPolicyBinding[],
  equivalents: Equivalents,
): MutatingHooks {
  return new PolicyHooks(policies, bindings, compileMutatingPolicy, equivalents)
}

/** The denial of a request, with the messages of all policies that failed. */
export interface MutationDenial {
  readonly reason: string
  /** The first one is the message of the Status, all are causes. */
  readonly messages: readonly string[]
}

/** The request whose object policies mutate. */
export interface MutatedRequest {
  readonly request: PolicyRequest
  readonly lookups: LookupResults
  readonly reinvocation: ReinvocationContext
  /** Receives the metrics. */
  readonly findings: AdmissionFindings
  /** The object of the request, which is changed. */
  readonly object: KubernetesObject
  /** The objects that selectors match. */
  readonly objects: MatchedObjects
  readonly versions: MutatedVersions
}

/** An invocation with one of its parameters. */
interface Evaluated {
  readonly hook: Hook
  readonly binding: Binding
  readonly matched: EquivalentResource
  readonly param: JsonObject | null
}

/** A failure of a policy, by which failurePolicy Fail denies the request. */
interface PolicyFailure {
  readonly hook: Hook
  readonly message: string
  readonly reason: string
}

const patchers = { ApplyConfiguration: applyMutation, JSONPatch: patchMutation } as const

/** Returns the key by which an invocation is recognised in the second run of the chain. */
function keyOf({ hook, binding, param }: Evaluated): string {
  const { name = '', namespace = '' } = (param?.metadata ?? {}) as { readonly name?: string; readonly namespace?: string }
  return [hook.name, binding.name, namespace, name].join('/')
}

function messageOf(hook: Hook, binding: Binding | undefined, error: string): string {
  if (binding === undefined) return `policy ${goQuote(hook.name)} denied request: ${error}`
  return `policy '${hook.name}' with binding '${binding.name}' denied request: ${error}`
}

/** The mutations of one request in one run of the chain. */
class Dispatch {
  readonly #mutated: MutatedRequest
  readonly #invocations: Invocations
  readonly #failures: PolicyFailure[] = []
  /** The version of the last mutation: its mutations are written to the object of the request. */
  #last: MutatedVersion | undefined

  constructor(mutated: MutatedRequest, invocations: Invocations) {
    this.#mutated = mutated
    this.#invocations = invocations
  }

  misconfigured(wrong: Misconfiguration<Hook, Binding>): void {
    const { hook, binding } = wrong
    this.#failures.push({ hook, message: messageOf(hook, binding, misconfigurationText(wrong)), reason: 'Forbidden' })
  }

  invoke(evaluated: Evaluated): void {
    const { hook, matched } = evaluated
    const { reinvocation, versions } = this.#mutated
    const version = versions.in(matched)
    if (!this.#matches(evaluated, version)) return
    const key = keyOf(evaluated)
    if (reinvocation.isReinvoke && !this.#invocations.isDue(key)) return
    const before = version.object
    for (const mutation of hook.compiled().mutations) {
      this.#last = version
      this.#mutate(evaluated, mutation, version)
    }
    if (!equalValues(before, version.object)) this.#changed()
    if (hook.policy.spec.reinvocationPolicy === 'IfNeeded') this.#invocations.addReinvocable(key)
  }

  /** Writes the mutations into the object of the request. */
  finish(): void {
    if (this.#last?.isDirty !== true) return
    this.#changed()
    this.#mutated.versions.write(this.#last)
  }

  /** Returns the denial by the policies whose failurePolicy is Fail; undefined if no policy denies. */
  denial(): MutationDenial | undefined {
    // Policies that cannot be configured are reported first.
    const counted = this.#failures.filter(({ hook }) => !hook.isIgnoring)
    const [first] = counted
    return first && { reason: first.reason, messages: counted.map(({ message }) => message) }
  }

  #changed(): void {
    this.#invocations.requireReinvoking()
    this.#mutated.reinvocation.request()
  }

  #fail({ hook, binding }: Evaluated, error: string): void {
    this.#failures.push({ hook, message: messageOf(hook, binding, error), reason: 'Invalid' })
  }

  #values(version: MutatedVersion): RequestValues {
    const { request, lookups } = this.#mutated
    return new RequestValues(request, lookups, () => seenObjects(version))
  }

  #matches(evaluated: Evaluated, version: MutatedVersion): boolean {
    const { hook, matched, param } = evaluated
    const { conditions, variables } = hook.compiled()
    if (conditions.length === 0) return true
    const values = this.#values(version).activation(matched, param, 'conditions')
    const outcome = matchConditions(conditions, policyActivation(values, variables), hook.isIgnoring)
    if (!('error' in outcome)) return outcome.matches
    this.#fail(evaluated, outcome.error)
    return false
  }

  /** Evaluates a mutation and applies it. @throws ApiError that no failurePolicy ignores, MissingLookups */
  #mutate(evaluated: Evaluated, mutation: Mutation, version: MutatedVersion): void {
    try {
      version.object = this.#mutation(evaluated, mutation, version)
      version.isDirty = true
      this.#observe(evaluated, 'no_error')
    } catch (error) {
      if (error instanceof MissingLookups || !(error instanceof Error)) throw error
      this.#observe(evaluated, errorType(error.message))
      if (!(error instanceof MutationError)) throw error
      this.#fail(evaluated, error.message)
    }
  }

  #mutation({ hook, matched, param }: Evaluated, { patchType, expression }: Mutation, version: MutatedVersion): JsonObject {
    const { compiled } = expression
    if ('error' in compiled) throw new MutationError(compiled.error)
    const values = this.#values(version).activation(matched, param, 'decisions')
    const activation = policyActivation(values, hook.compiled().variables)
    const outcome = evaluateExpressions([expression], activation, policyBudget)
    const result = 'exhausted' in outcome ? { error: outcome.exhausted } : (outcome.results[0] ?? { error: 'no result' })
    if ('error' in result) throw new MutationError(result.error)
    const object = patchers[patchType](version, result.value)
    if (version.refusal !== undefined) throw new MutationError(version.refusal)
    return object
  }

  #observe({ hook, binding }: Evaluated, error: string): void {
    const { findings } = this.#mutated
    measureEvaluation(findings)
    const labels = [hook.name, binding.name, error]
    findings.measure('apiserver_mutating_admission_policy_check_total', labels)
    // The clock of the runtime stands still while a commit runs.
    findings.measure('apiserver_mutating_admission_policy_check_duration_seconds', labels, 0)
  }
}

/**
 * Runs all policies that apply to a request, in the order of their names. Each sees the mutations of those before it.
 * @returns the denial; undefined if the object was mutated, or is left as it is
 * @throws ApiError that no failurePolicy ignores, MissingLookups
 */
export function dispatchMutating(hooks: MutatingHooks, mutated: MutatedRequest): MutationDenial | undefined {
  const { request, lookups, object, objects, reinvocation, versions } = mutated
  const values = new RequestValues(request, lookups, (matched) => seenObjects(versions.in(matched)))
  const found = hooks.invocations(values, objects)
  const invocations = reinvocation.invocationsOf('MutatingAdmissionPolicy')
  const dispatch = new Dispatch(mutated, invocations)
  for (const each of found) if (each.kind === 'misconfiguration') dispatch.misconfigured(each)
  const applicable = found.flatMap((each): Evaluated[] => {
    if (each.kind !== 'invocation') return []
    const { hook, binding, matched, params }: Invocation<Hook, Binding> = each
    return params.map((param) => ({ hook, binding, matched, param }))
  })
  if (applicable.length === 0) return dispatch.denial()
  if (reinvocation.isReinvoke && invocations.isChangedSinceOutput(object)) invocations.requireReinvoking()
  for (const evaluated of applicable) dispatch.invoke(evaluated)
  dispatch.finish()
  measureCompilations(mutated.findings)
  invocations.setOutput(object)
  return dispatch.denial()
}
