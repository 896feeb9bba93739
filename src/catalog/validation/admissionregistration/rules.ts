/**
 * Checks of the rules and match constraints of webhooks and admission policies. Follows
 * k8s.io/kubernetes/pkg/apis/admissionregistration/validation.
 */
import { validateLabelSelector } from '../../../meta/label-selector-object.ts'
import { isPathSegmentName } from '../../../meta/names.ts'
import * as admissionregistrationv1 from '../../generated/types/admissionregistration.v1.ts'
import { type Errors, itemsOf } from '../checks.ts'

const all = '*'
const operations = [all, 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
const scopes = [all, 'Cluster', 'Namespaced']
const mutable = [all, 'CONNECT', 'CREATE', 'UPDATE']

/** Checks that `*` is the only entry of the list. */
function checkAlone(values: readonly string[], what: string, field: string, errors: Errors): void {
  if (values.length > 1 && values.includes(all)) {
    errors.invalid(field, values, `if '*' is present, must not specify other ${what}`)
  }
}

/** Checks one resource for overlap with earlier ones: `x/*` means all subresources of x, `*` before a slash means any resource. */
function checkResource(resource: string, seen: ReadonlySet<string>, field: string, errors: Errors): void {
  const slash = resource.indexOf('/')
  const wide = [`${resource.slice(0, slash)}/*`, `*/${resource.slice(slash + 1)}`]
  for (const other of wide) {
    if (seen.has(other)) errors.invalid(field, resource, `if '${other}' is present, must not specify ${resource}`)
  }
}

function checkResources(resources: readonly string[], field: string, errors: Errors): void {
  if (resources.length === 0) errors.required(field)
  const seen = new Set<string>()
  let lastIsBare = false
  for (const [at, resource] of itemsOf(resources, field)) {
    if (resource === '') errors.required(at)
    else if (resource.includes('/')) checkResource(resource, seen, at, errors)
    else lastIsBare = resource !== all
    seen.add(resource)
  }
  if (resources.length > 1 && seen.has('*/*')) {
    errors.invalid(field, resources, "if '*/*' is present, must not specify other resources")
  }
  // Upstream considers only the last resource without a subresource.
  if (seen.has(all) && lastIsBare) {
    errors.invalid(field, resources, "if '*' is present, must not specify other resources without subresources")
  }
}

function checkOperations(given: readonly string[], field: string, errors: Errors): void {
  if (given.length === 0) errors.required(field)
  checkAlone(given, 'operations', field, errors)
  for (const [index, operation] of given.entries()) errors.checkEnum(operation, operations, `${field}[${index}]`)
}

/** Validates a rule with operations. */
export function checkRule(rule: admissionregistrationv1.RuleWithOperations, field: string, errors: Errors): void {
  const { apiGroups = [], apiVersions = [], resources = [], scope } = rule
  checkOperations(rule.operations ?? [], `${field}.operations`, errors)
  if (apiGroups.length === 0) errors.required(`${field}.apiGroups`)
  checkAlone(apiGroups, 'API groups', `${field}.apiGroups`, errors)
  if (apiVersions.length === 0) errors.required(`${field}.apiVersions`)
  checkAlone(apiVersions, 'API versions', `${field}.apiVersions`, errors)
  for (const [index, version] of apiVersions.entries()) if (version === '') errors.required(`${field}.apiVersions[${index}]`)
  checkResources(resources, `${field}.resources`, errors)
  errors.checkEnum(scope, scopes, `${field}.scope`)
}

function checkNamedRule(rule: admissionregistrationv1.NamedRuleWithOperations, field: string, errors: Errors): void {
  const seen = new Set<string>()
  for (const [at, name] of itemsOf(rule.resourceNames, `${field}.resourceNames`)) {
    errors.checkMessages(isPathSegmentName(name), name, at)
    errors.checkUnique(seen, name, at)
  }
  checkRule(rule, field, errors)
}

/** Validates matchPolicy: whether a request must match a rule's resource exactly or by an equivalent version. */
export function checkMatchPolicy(policy: string | undefined, field: string, errors: Errors): void {
  errors.checkEnum(policy, admissionregistrationv1.MatchPolicyType, field)
}

/** Validates the match constraints of a policy or binding. Defaults have been applied. */
export function checkMatchResources(match: admissionregistrationv1.MatchResources, field: string, errors: Errors): void {
  checkMatchPolicy(match.matchPolicy, `${field}.matchPolicy`, errors)
  errors.push(...validateLabelSelector(match.namespaceSelector, `${field}.namespaceSelector`))
  errors.push(...validateLabelSelector(match.objectSelector, `${field}.objectSelector`))
  for (const name of ['resourceRules', 'excludeResourceRules'] as const) {
    for (const [index, rule] of (match[name] ?? []).entries()) checkNamedRule(rule, `${field}.${name}[${index}]`, errors)
  }
}

/** Checks that no rule of a mutating policy matches DELETE: a deleted object cannot be mutated. */
export function checkMutable(
  { resourceRules = [] }: admissionregistrationv1.MatchResources,
  field: string,
  errors: Errors,
): void {
  for (const rule of resourceRules) {
    for (const operation of rule.operations ?? []) {
      if (mutable.includes(operation)) continue
      errors.notSupported(`${field}.resourceRules.operations`, operation, mutable)
    }
  }
}
