/**
 * Decides by rules alone whether a request needs the webhooks and policies of a cluster, so that other requests do not pay for them.
 */
import type { Kind } from '../../../catalog/kind.ts'
import type { AdmissionConfiguration, AdmissionObjects } from '../../../clusters/admission-configuration.ts'
import type { JsonObject } from '../../../go/json-value.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { type Equivalents, equivalentsIn } from './equivalents.ts'
import { type Matcher, type PolicyCriteria, policyMatcher, type WebhookCriteria, webhookMatcher } from './match.ts'
import { isExemptFromPolicies, isExemptFromWebhooks, type MatchOperation, type Rule } from './rules.ts'

/** A request by its kind: without a name and a namespace. */
export interface CandidateRequest {
  readonly operation: MatchOperation
  readonly kind: Kind
  readonly subresource: string
}

type MayMatch = Matcher['mayMatch']

/** Returns the rules for requests whose names are not known. */
const withoutNames = (rules: readonly Rule[] = []): Rule[] => rules.map((rule) => ({ ...rule, resourceNames: [] }))

/** Returns whether a policy may match a request, whatever the name. */
export function mayMatchPolicy(criteria: PolicyCriteria, equivalents: Equivalents): MayMatch {
  const { resourceRules, excludeResourceRules = [] } = criteria
  const isUnnamed = ({ resourceNames = [] }: Rule): boolean => resourceNames.length === 0
  const unnamed = {
    ...criteria,
    resourceRules: withoutNames(resourceRules),
    excludeResourceRules: excludeResourceRules.filter(isUnnamed),
  }
  return policyMatcher(unnamed, equivalents).mayMatch
}

interface PolicySpec {
  readonly matchConstraints?: PolicyCriteria
  readonly paramKind?: unknown
}

interface BindingSpec {
  readonly policyName?: string
  readonly matchResources?: PolicyCriteria
}

/** A policy without a binding has no effect. */
function ofPolicies(
  policies: readonly KubernetesObject[],
  bindings: readonly KubernetesObject[],
  equivalents: Equivalents,
): MayMatch[] {
  return bindings.flatMap((binding) => {
    const { policyName, matchResources } = (binding.spec ?? {}) as BindingSpec
    const policy = policies.find(({ metadata }) => metadata.name === policyName)
    if (policy === undefined) return []
    const { matchConstraints = {}, paramKind } = (policy.spec ?? {}) as PolicySpec
    const byPolicy = mayMatchPolicy(matchConstraints, equivalents)
    // A paramKind that does not exist is an error of the policy, whatever its bindings match.
    if (matchResources === undefined || paramKind !== undefined) return [byPolicy]
    const byBinding = mayMatchPolicy(matchResources, equivalents)
    return [(request) => byPolicy(request) && byBinding(request)]
  })
}

const ofWebhooks = (configurations: readonly KubernetesObject[], equivalents: Equivalents): MayMatch[] =>
  configurations.flatMap((configuration) =>
    ((configuration.webhooks ?? []) as readonly JsonObject[]).map(
      (webhook) => webhookMatcher(webhook as WebhookCriteria, equivalents).mayMatch,
    ),
  )

/**
 * The webhooks and policies of one state of the configuration, by the requests that they may be about.
 * @example
 * const candidates = new AdmissionCandidates(configuration)
 * candidates.mayMatch({ operation: 'CREATE', kind: pods, subresource: '' })
 */
export class AdmissionCandidates {
  readonly #webhooks: readonly MayMatch[]
  readonly #policies: readonly MayMatch[]
  readonly #answers = new WeakMap<Kind, Map<string, boolean>>()

  constructor(objects: AdmissionObjects & Pick<AdmissionConfiguration, 'emulation'>) {
    const equivalents = equivalentsIn(objects)
    this.#webhooks = [
      ...ofWebhooks(objects.mutatingWebhooks, equivalents),
      ...ofWebhooks(objects.validatingWebhooks, equivalents),
    ]
    this.#policies = [
      ...ofPolicies(objects.mutatingPolicies, objects.mutatingBindings, equivalents),
      ...ofPolicies(objects.validatingPolicies, objects.validatingBindings, equivalents),
    ]
  }

  /** Whether a webhook or policy may be about a request. The answer is computed once for each kind, operation and subresource. */
  mayMatch(request: CandidateRequest): boolean {
    const { operation, kind, subresource } = request
    const answers = this.#answers.get(kind) ?? new Map<string, boolean>()
    this.#answers.set(kind, answers)
    const key = `${operation} ${subresource}`
    const known = answers.get(key) ?? this.#find(request)
    answers.set(key, known)
    return known
  }

  #find({ operation, kind, subresource }: CandidateRequest): boolean {
    // Any namespace: rules depend only on whether there is one.
    const request = { operation, kind, subresource, namespace: kind.namespaced ? 'any' : '', name: '' }
    const fits = (mayMatch: MayMatch): boolean => mayMatch(request)
    return (
      (!isExemptFromWebhooks(kind) && this.#webhooks.some(fits)) || (!isExemptFromPolicies(kind) && this.#policies.some(fits))
    )
  }
}
