/** Uses by rules that name resources: of webhooks, admission policies, roles, flow schemas and quotas. */
import { isObject } from '../go/json-object.ts'
import type { JsonObject } from '../go/json-value.ts'
import type { Removal, Removals, ResourceVersion } from './removals.ts'
import type { Use } from './report.ts'
import { advised, goneAdvice, memberList, memberObject, memberText, memberTexts, patched, pointer, useOf } from './use.ts'

/** A list of rules in an object. */
interface RuleList {
  /** The place of the list. */
  readonly path: string
  readonly rules: readonly JsonObject[]
  /** Whether a rule for one version of a resource counts for the others too. */
  readonly isEquivalent: boolean
}

const listOf = (owner: JsonObject, name: string, path: string, isEquivalent: boolean): RuleList => ({
  path: `${path}/${name}`,
  rules: memberList(owner, name).map((rule) => (isObject(rule) ? rule : {})),
  isEquivalent,
})

const isEquivalent = (owner: JsonObject): boolean => memberText(owner, 'matchPolicy') !== 'Exact'

const webhookLists = (object: JsonObject): RuleList[] =>
  memberList(object, 'webhooks').flatMap((webhook, index) =>
    isObject(webhook) ? [listOf(webhook, 'rules', pointer('webhooks', index), isEquivalent(webhook))] : [],
  )

/** Returns the rule lists of a ValidatingAdmissionPolicy, or of a binding of one. */
const policyLists =
  (field: string) =>
  (object: JsonObject): RuleList[] => {
    const matched = memberObject(memberObject(object, 'spec') ?? {}, field)
    return matched === undefined ? [] : [listOf(matched, 'resourceRules', pointer('spec', field), isEquivalent(matched))]
  }

const flowLists = (object: JsonObject): RuleList[] =>
  memberList(memberObject(object, 'spec'), 'rules').flatMap((rule, index) =>
    isObject(rule) ? [listOf(rule, 'resourceRules', pointer('spec', 'rules', index), false)] : [],
  )

const constraints = policyLists('matchConstraints')
const matches = policyLists('matchResources')
const roleLists = (object: JsonObject): RuleList[] => [listOf(object, 'rules', '', false)]

/** The rule lists by group and kind. */
const ruleLists: Readonly<Record<string, (object: JsonObject) => RuleList[]>> = {
  'admissionregistration.k8s.io MutatingWebhookConfiguration': webhookLists,
  'admissionregistration.k8s.io ValidatingWebhookConfiguration': webhookLists,
  'admissionregistration.k8s.io ValidatingAdmissionPolicy': constraints,
  'admissionregistration.k8s.io MutatingAdmissionPolicy': constraints,
  'admissionregistration.k8s.io ValidatingAdmissionPolicyBinding': matches,
  'admissionregistration.k8s.io MutatingAdmissionPolicyBinding': matches,
  'rbac.authorization.k8s.io ClusterRole': roleLists,
  'rbac.authorization.k8s.io Role': roleLists,
  'flowcontrol.apiserver.k8s.io FlowSchema': flowLists,
}

/** Whether objects of a kind contain rules. */
export const hasRules = (group: string, kind: string): boolean =>
  Object.hasOwn(ruleLists, `${group} ${kind}`) || (group === '' && kind === 'ResourceQuota')

/** Returns the resources of a rule without their subresources. */
const resourcesOf = (rule: JsonObject): readonly string[] => [
  ...new Set(memberTexts(rule, 'resources').map((resource) => resource.split('/', 1)[0] ?? '')),
]

/** Finds the removals of the versions that a rule names. A rule without versions, or with all, loses only resources that are gone. */
function removalsOf(rule: JsonObject, removals: Removals): readonly Removal[] {
  const [groups, versions, resources] = [memberTexts(rule, 'apiGroups'), memberTexts(rule, 'apiVersions'), resourcesOf(rule)]
  const isAnyVersion = versions.length === 0 || versions.includes('*')
  return removals.all.filter((removal) => {
    const { group, version, resource } = removal
    if (!groups.includes(group) || !includesAny(resources, resource)) return false
    return isAnyVersion ? removals.ofLastVersion(group, resource) === removal : versions.includes(version)
  })
}

const includesAny = (values: readonly string[], value: string): boolean => values.includes(value) || values.includes('*')

/** Whether a rule matches the version that takes the place of a removed one. */
function matchesVersion(rule: JsonObject, { group, version, resource }: ResourceVersion, list: RuleList, removals: Removals) {
  const versions = memberTexts(rule, 'apiVersions')
  if (versions.length === 0 || includesAny(versions, version)) return true
  return list.isEquivalent && versions.some((other) => removals.ofResource(group, other, resource) === undefined)
}

/** Whether a list has a rule for the replacement that allows or watches no less than another rule. */
const isCovered = (list: RuleList, replacement: ResourceVersion, than: JsonObject, removals: Removals): boolean =>
  list.rules.some(
    (rule) =>
      includesAny(memberTexts(rule, 'apiGroups'), replacement.group) &&
      includesAny(resourcesOf(rule), replacement.resource) &&
      matchesVersion(rule, replacement, list, removals) &&
      ['verbs', 'operations'].every((field) =>
        memberTexts(than, field).every((verb) => includesAny(memberTexts(rule, field), verb)),
      ),
  )

/** Returns the same rule for the replacement. */
function replacedRule(rule: JsonObject, removal: Removal, { group, version, resource }: ResourceVersion): JsonObject {
  const resources = memberTexts(rule, 'resources').flatMap((text): string[] => {
    const [name = '', ...subresource] = text.split('/')
    if (name !== removal.resource && name !== '*') return []
    return [[resource, ...subresource].join('/')]
  })
  return {
    ...rule,
    apiGroups: [group],
    ...(rule.apiVersions !== undefined && { apiVersions: [version] }),
    resources: [...new Set(resources)],
  }
}

function usesOfList(list: RuleList, removals: Removals): Use[] {
  return list.rules.flatMap((rule, index) =>
    removalsOf(rule, removals).flatMap((removal): Use[] => {
      const { replacement } = removal
      const path = `${list.path}/${index}`
      if (replacement === undefined) return [useOf(removal, 'rule', path, advised(goneAdvice(removal)))]
      if (isCovered(list, replacement, rule, removals)) return []
      const value = replacedRule(rule, removal, replacement)
      return [useOf(removal, 'rule', path, patched({ op: 'add', path: `${list.path}/-`, value }))]
    }),
  )
}

const countPrefix = 'count/'

/** Finds the uses by a quota that counts objects of a resource: `count/ingresses.extensions`. */
function quotaUses(object: JsonObject, removals: Removals): Use[] {
  const hard = memberObject(memberObject(object, 'spec') ?? {}, 'hard') ?? {}
  return Object.entries(hard).flatMap(([name, value]): Use[] => {
    if (!name.startsWith(countPrefix)) return []
    const [resource = '', ...group] = name.slice(countPrefix.length).split('.')
    const removal = removals.ofLastVersion(group.join('.'), resource)
    if (removal === undefined) return []
    const path = pointer('spec', 'hard', name)
    const { replacement } = removal
    if (replacement === undefined) return [useOf(removal, 'rule', path, advised(goneAdvice(removal)))]
    const other = `${countPrefix}${replacement.resource}.${replacement.group}`
    if (Object.hasOwn(hard, other)) return []
    return [useOf(removal, 'rule', path, patched({ op: 'add', path: pointer('spec', 'hard', other), value }))]
  })
}

/** Finds the uses by the rules of an object. An aggregated role has the rules of others. */
export function ruleUses(object: JsonObject, group: string, kind: string, removals: Removals): Use[] {
  if (group === '' && kind === 'ResourceQuota') return quotaUses(object, removals)
  if (object.aggregationRule !== undefined && object.aggregationRule !== null) return []
  return (ruleLists[`${group} ${kind}`]?.(object) ?? []).flatMap((list) => usesOfList(list, removals))
}
