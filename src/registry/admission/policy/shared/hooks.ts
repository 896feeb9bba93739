/**
 * Policies with their bindings, and those of them that apply to a request. Follows PolicyHook, the policy source and the policy
 * dispatcher of the package policy/generic.
 */
import type { MatchResources, ParamKind, ParamRef } from '../../../../catalog/generated/types/admissionregistration.v1.ts'
import type { Kind } from '../../../../catalog/kind.ts'
import { namespaceLookup } from '../../../../clusters/lookups.ts'
import type { JsonObject } from '../../../../go/json-value.ts'
import { compareText } from '../../../../go/text.ts'
import { MissingLookups, type WorkerLookup } from '../../../../meta/lookups.ts'
import type { KubernetesObject } from '../../../../meta/object-meta.ts'
import { mayMatchPolicy } from '../../matching/candidates.ts'
import type { EquivalentResource, Equivalents } from '../../matching/equivalents.ts'
import { type Matcher, policyMatcher } from '../../matching/match.ts'
import { type MatchRequest, namespaceOf } from '../../matching/rules.ts'
import type { MatchedObjects } from '../../matching/selectors.ts'
import { collectParams, paramKindLookup, paramResourceOf, paramsLookup, unknownParamKind } from './params.ts'
import { namespaceObjectLookup, type RequestValues } from './request-values.ts'

/** A stored policy. */
export interface PolicyObject extends KubernetesObject {
  readonly spec: { readonly paramKind?: ParamKind; readonly matchConstraints?: MatchResources; readonly failurePolicy?: string }
}

/** A stored binding. */
export interface BindingObject extends KubernetesObject {
  readonly spec: { readonly policyName?: string; readonly paramRef?: ParamRef; readonly matchResources?: MatchResources }
}

/** A binding of a policy. */
export interface PolicyBinding<Binding extends BindingObject> {
  readonly name: string
  readonly binding: Binding
  /** Undefined if the binding matches every request that its policy matches. */
  readonly matcher: Matcher | undefined
}

/** A compiled policy. */
export interface CompiledPolicy {
  /** Whether an expression refers to `namespaceObject`. */
  readonly needsNamespace: boolean
}

/** A policy with its bindings. */
export interface PolicyHook<Policy extends PolicyObject, Binding extends BindingObject, Compiled extends CompiledPolicy> {
  readonly name: string
  readonly policy: Policy
  readonly isIgnoring: boolean
  readonly matcher: Matcher
  readonly bindings: readonly PolicyBinding<Binding>[]
  /** Returns the compiled policy, which is compiled when it is first needed. */
  readonly compiled: () => Compiled
}

/** A policy and a binding that apply to a request, with the parameters for which the policy is evaluated. */
export interface Invocation<Hook, Binding> {
  readonly kind: 'invocation'
  readonly hook: Hook
  readonly binding: Binding
  /** The resource in whose version the expressions see the objects. */
  readonly matched: EquivalentResource
  readonly params: readonly (JsonObject | null)[]
}

/** A policy, or one of its bindings, that cannot be applied to a request which it matches. */
export interface Misconfiguration<Hook, Binding> {
  readonly kind: 'misconfiguration'
  readonly hook: Hook
  /** Undefined if the policy itself is wrong. */
  readonly binding: Binding | undefined
  /** Without the beginning that `misconfigurationText` adds. */
  readonly error: string
}

/** Returns the message of a misconfiguration. */
export function misconfigurationText({ binding, error }: Misconfiguration<unknown, unknown>): string {
  return `failed to configure ${binding === undefined ? 'policy' : 'binding'}: ${error}`
}

const byName = (a: KubernetesObject, b: KubernetesObject): number => compareText(a.metadata.name ?? '', b.metadata.name ?? '')

type Candidates<Hook> = WeakMap<Kind, Map<string, readonly Hook[]>>

/**
 * The policies of one state of the configuration, by name. kube-apiserver evaluates them in a random order.
 * @example
 * const hooks = new PolicyHooks(policies, bindings, compileValidatingPolicy, equivalentsIn(configuration))
 * for (const invocation of hooks.invocations(values, objects)) …
 */
export class PolicyHooks<Policy extends PolicyObject, Binding extends BindingObject, Compiled extends CompiledPolicy> {
  readonly #hooks: readonly PolicyHook<Policy, Binding, Compiled>[]
  readonly #equivalents: Equivalents
  readonly #candidates: Candidates<PolicyHook<Policy, Binding, Compiled>> = new WeakMap()

  /** @param compile compiles a policy; it should return the same result for the same uid and resourceVersion */
  constructor(
    policies: readonly Policy[],
    bindings: readonly Binding[],
    compile: (policy: Policy) => Compiled,
    equivalents: Equivalents,
  ) {
    this.#equivalents = equivalents
    const ofPolicy = Map.groupBy(bindings.toSorted(byName), ({ spec }) => spec.policyName ?? '')
    this.#hooks = policies.toSorted(byName).flatMap((policy): PolicyHook<Policy, Binding, Compiled>[] => {
      const name = policy.metadata.name ?? ''
      const own = ofPolicy.get(name)
      if (own === undefined) return []
      let compiled: Compiled | undefined
      return [
        {
          name,
          policy,
          isIgnoring: policy.spec.failurePolicy === 'Ignore',
          matcher: policyMatcher(policy.spec.matchConstraints ?? {}, equivalents),
          bindings: own.map((binding) => ({
            name: binding.metadata.name ?? '',
            binding,
            matcher:
              binding.spec.matchResources === undefined ? undefined : policyMatcher(binding.spec.matchResources, equivalents),
          })),
          compiled: () => {
            compiled ??= compile(policy)
            return compiled
          },
        },
      ]
    })
  }

  /** Returns the policies that may match a request of this kind. They are found once for each kind, operation and subresource. */
  candidates({ kind, operation, subresource }: MatchRequest): readonly PolicyHook<Policy, Binding, Compiled>[] {
    const ofKind = this.#candidates.get(kind) ?? new Map<string, readonly PolicyHook<Policy, Binding, Compiled>[]>()
    this.#candidates.set(kind, ofKind)
    const key = `${operation} ${subresource}`
    const request = { kind, operation, subresource, name: '', namespace: kind.namespaced ? 'any' : '' }
    const found =
      ofKind.get(key) ??
      this.#hooks.filter(({ policy }) => mayMatchPolicy(policy.spec.matchConstraints ?? {}, this.#equivalents)(request))
    ofKind.set(key, found)
    return found
  }

  /**
   * Returns the policies and bindings that apply to a request, and those that cannot be applied to it although they match.
   * @throws MissingLookups, with all lookups that are known to be missing
   */
  invocations(
    values: RequestValues,
    objects: MatchedObjects,
  ): (
    | Invocation<PolicyHook<Policy, Binding, Compiled>, PolicyBinding<Binding>>
    | Misconfiguration<PolicyHook<Policy, Binding, Compiled>, PolicyBinding<Binding>>
  )[] {
    const matches = this.#matches(values.request, objects)
    values.lookups.require(lookupsOf(matches, values.request))
    return matches.flatMap((match) => invocationsOf(match, values))
  }

  /** Returns the lookups that a request probably needs, by the rules alone. */
  expectedLookups(request: MatchRequest): readonly WorkerLookup<unknown>[] {
    const candidates = this.candidates(request)
    if (candidates.length === 0) return []
    const mayMatch = ({ matcher }: { readonly matcher: Matcher | undefined }): boolean => matcher?.mayMatch(request) !== false
    const matches = candidates.filter(mayMatch).map((hook) => ({
      hook,
      bindings: hook.bindings.filter(mayMatch).map((binding) => ({ binding })),
    }))
    return [...(request.namespace === '' ? [] : [namespaceLookup(request.namespace)]), ...lookupsOf(matches, request)]
  }

  #matches(
    request: MatchRequest,
    objects: MatchedObjects,
  ): Match<PolicyHook<Policy, Binding, Compiled>, PolicyBinding<Binding>>[] {
    return this.candidates(request).flatMap((hook): Match<PolicyHook<Policy, Binding, Compiled>, PolicyBinding<Binding>>[] => {
      const match = attempt(hook.matcher, request, objects)
      if (match === undefined) return []
      if ('error' in match) return [{ hook, matched: match, bindings: [] }]
      const bindings = hook.bindings.flatMap((binding): BindingMatch<PolicyBinding<Binding>>[] => {
        const outcome = binding.matcher === undefined ? match : attempt(binding.matcher, request, objects)
        if (outcome === undefined) return []
        return ['error' in outcome ? { binding, error: outcome.error } : { binding }]
      })
      return [{ hook, matched: match, bindings }]
    })
  }
}

interface BindingMatch<Binding> {
  readonly binding: Binding
  readonly error?: string
}

/** A policy that matches a request, or cannot be matched, with its bindings of which the same is true. */
interface Match<Hook, Binding> {
  readonly hook: Hook
  readonly matched: EquivalentResource | { readonly error: string }
  readonly bindings: readonly BindingMatch<Binding>[]
}

/** Matches a request. An error of the match is a result: it concerns only this policy or binding. */
function attempt(matcher: Matcher, request: MatchRequest, objects: MatchedObjects) {
  try {
    return matcher.match(request, objects)
  } catch (error) {
    if (error instanceof MissingLookups) throw error
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

type AnyHook = Pick<PolicyHook<PolicyObject, BindingObject, CompiledPolicy>, 'policy' | 'compiled'>
type AnyBinding = PolicyBinding<BindingObject>

/** Returns the parameters' lookup of a binding; none if its selector is invalid, which is reported later. */
function paramsOf(kind: ParamKind, ref: ParamRef, namespace: string): WorkerLookup<unknown>[] {
  try {
    return [paramsLookup(kind, ref, namespace)]
  } catch {
    return []
  }
}

function lookupsOf(
  matches: readonly Pick<Match<AnyHook, AnyBinding>, 'hook' | 'bindings'>[],
  request: MatchRequest,
): WorkerLookup<unknown>[] {
  const namespace = namespaceOf(request)
  const lookups = matches.flatMap(({ hook, bindings }) => {
    const { paramKind } = hook.policy.spec
    const needsNamespace = bindings.length > 0 && request.namespace !== '' && hook.compiled().needsNamespace
    const found: WorkerLookup<unknown>[] = needsNamespace ? [namespaceObjectLookup(request.namespace)] : []
    if (paramKind === undefined) return found
    const refs = bindings.flatMap(({ binding }) => binding.binding.spec.paramRef ?? [])
    return [...found, paramKindLookup(paramKind), ...refs.flatMap((ref) => paramsOf(paramKind, ref, namespace))]
  })
  return [...new Map(lookups.map((lookup) => [lookup.key, lookup])).values()]
}

function invocationsOf<Hook extends AnyHook, Binding extends AnyBinding>(
  { hook, matched, bindings }: Match<Hook, Binding>,
  { request, lookups }: RequestValues,
): (Invocation<Hook, Binding> | Misconfiguration<Hook, Binding>)[] {
  const wrong = (error: string, binding: Binding | undefined): Misconfiguration<Hook, Binding> => ({
    kind: 'misconfiguration',
    hook,
    binding,
    error,
  })
  if ('error' in matched) return [wrong(matched.error, undefined)]
  const { paramKind } = hook.policy.spec
  const resource = paramKind === undefined ? undefined : paramResourceOf(hook.policy, paramKind, lookups)
  if (paramKind !== undefined && resource === null) return [wrong(unknownParamKind(paramKind), undefined)]
  return bindings.map(({ binding, error }) => {
    if (error !== undefined) return wrong(error, binding)
    const { paramRef } = binding.binding.spec
    if (paramKind === undefined || !resource || paramRef === undefined) {
      return { kind: 'invocation', hook, binding, matched, params: [null] }
    }
    const collected = collectParams(paramKind, resource, paramRef, namespaceOf(request), lookups)
    if ('error' in collected) return wrong(collected.error, binding)
    return { kind: 'invocation', hook, binding, matched, params: collected.params }
  })
}
