/** Rules of admission webhooks and policies: which operations on which resources they are about. Follows the package rules. */
import type { Kind } from '../../../catalog/kind.ts'
import { type EquivalentResource, type Equivalents, resourceOf } from './equivalents.ts'

/** The operations of admission. */
export type MatchOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

/** The request that is matched. AdmissionAttributes fulfil it. */
export interface MatchRequest {
  readonly operation: MatchOperation
  /** The kind of the request's resource. */
  readonly kind: Kind
  /** '' for the resource itself. */
  readonly subresource: string
  /** '' for cluster-scoped resources. */
  readonly namespace: string
  /** '' if the server generates the name. */
  readonly name: string
}

/** A rule (RuleWithOperations, NamedRuleWithOperations). */
export interface Rule {
  readonly operations?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  /** `pods`, `*`, `pods/*`, `*` with a subresource. */
  readonly resources?: readonly string[]
  /** Absent for all scopes. */
  readonly scope?: string
  /** Only in rules of policies; absent or empty for all names. */
  readonly resourceNames?: readonly string[]
}

/** Whether a rule is also about other versions and groups of the same stored objects. */
export type MatchPolicy = 'Exact' | 'Equivalent'

const isNamespaceObject = ({ group, version, resource }: Omit<EquivalentResource, 'kind'>): boolean =>
  group === '' && version === 'v1' && resource === 'namespaces'

/**
 * Returns the namespace of a request as admission sees it: requests for a Namespace are in the namespace of its name. A subresource
 * of a Namespace, too.
 */
export function namespaceOf({ kind, namespace, name }: Pick<MatchRequest, 'kind' | 'namespace' | 'name'>): string {
  return isNamespaceObject(kind) ? name : namespace
}

const includes = (items: readonly string[] | undefined, requested: string): boolean =>
  items !== undefined && (items.includes('*') || items.includes(requested))

function isInScope(scope: string | undefined, resource: Omit<EquivalentResource, 'kind'>, namespace: string): boolean {
  const isNamespaced = namespace !== '' && !isNamespaceObject(resource)
  if (scope === undefined || scope === '*') return true
  return scope === 'Namespaced' ? isNamespaced : scope === 'Cluster' && !isNamespaced
}

/** Whether one of the resources (`pods`, `pods/*`) names the request's resource and subresource. */
function namesResource(resources: readonly string[] | undefined, resource: string, subresource: string): boolean {
  return (resources ?? []).some((text) => {
    const slash = text.indexOf('/')
    const named = slash < 0 ? text : text.slice(0, slash)
    const namedSubresource = slash < 0 ? '' : text.slice(slash + 1)
    return (named === '*' || named === resource) && (namedSubresource === '*' || namedSubresource === subresource)
  })
}

/** Whether a rule is about a request for this resource. */
function matchesRule(rule: Rule, request: MatchRequest, resource: Omit<EquivalentResource, 'kind'>): boolean {
  return (
    includes(rule.operations, request.operation) &&
    includes(rule.apiGroups, resource.group) &&
    includes(rule.apiVersions, resource.version) &&
    namesResource(rule.resources, resource.resource, request.subresource) &&
    isInScope(rule.scope, resource, namespaceOf(request))
  )
}

const matchesName = ({ resourceNames = [] }: Rule, { name }: MatchRequest): boolean =>
  resourceNames.length === 0 || resourceNames.includes(name)

/**
 * Returns the resource under which the first fitting rule is about a request: the request's own, or with `Equivalent` another
 * version of it, to which the object is then converted; undefined if no rule is.
 */
export function matchRules(
  rules: readonly Rule[],
  policy: MatchPolicy | undefined,
  request: MatchRequest,
  equivalentsOf: Equivalents,
): EquivalentResource | undefined {
  if (rules.some((rule) => matchesRule(rule, request, request.kind) && matchesName(rule, request)))
    return resourceOf(request.kind, request.subresource)
  if (policy !== 'Equivalent') return undefined
  const equivalents = equivalentsOf(request.kind, request.subresource)
  for (const rule of rules) {
    const found = equivalents.find((resource) => matchesRule(rule, request, resource))
    if (found !== undefined && matchesName(rule, request)) return found
  }
  return undefined
}

/** The kinds of group admissionregistration.k8s.io: a broken configuration could otherwise not be mended. */
const policyKinds: ReadonlySet<string> = new Set([
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
])
const configurationKinds: ReadonlySet<string> = new Set(['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'])

/** Reviews that policies do not see: a refused one could break the cluster. Webhooks see them. */
const reviews: ReadonlySet<string> = new Set([
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authorization.k8s.io/subjectaccessreviews',
])

/** Whether webhooks never see requests for a kind. Follows IsExemptAdmissionConfigurationResource. */
export function isExemptFromWebhooks({ group, kind }: Kind): boolean {
  return group === 'admissionregistration.k8s.io' && (policyKinds.has(kind) || configurationKinds.has(kind))
}

/** Whether policies never see requests for a kind. Follows the package policy/generic and kubeapiserver/admission/exclusion. */
export function isExemptFromPolicies({ group, kind, resource }: Kind): boolean {
  return (group === 'admissionregistration.k8s.io' && policyKinds.has(kind)) || reviews.has(`${group}/${resource}`)
}
