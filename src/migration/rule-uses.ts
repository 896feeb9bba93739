/** Uses by rules that name resources: of webhooks, admission policies, roles, flow schemas and quotas. */
import { isObject } from '../go/json-object.ts'
import type { JsonObject } from '../go/json-value.ts'
import type { Removal, Removals, ResourceVersion } from './removals.ts'
import type { Use } from './report.ts'
import {
  advised,
  firstOf,
  goneAdvice,
  memberList,
  memberObject,
  memberText,
  memberTexts,
  patched,
  pointer,
  useOf,
} from './use.ts'

/** A rule with the values that it is compared by. */
interface Rule {
  readonly fields: JsonObject
  readonly groups: ReadonlySet<string>
  readonly versions: ReadonlySet<string>
  /** Without subresources. */
  readonly resources: ReadonlySet<string>
  readonly verbs: ReadonlySet<string>
  readonly operations: ReadonlySet<string>
}

/** A list of rules in an object. */
interface RuleList {
  /** The place of the list. */
  readonly path: string
  readonly rules: readonly Rule[]
  /** Whether a rule for one version of a resource counts for the others too. */
  readonly isEquivalent: boolean
}

/** The most rules of an object, each of which is compared with all others, and the most characters of a rule, which are copied. */
const mostRules = 500
const longestRule = 16 * 1024
/** The most uses of one object. */
const mostUses = 1000

/** @throws Error for a rule that is too long */
function ruleOf(fields: JsonObject): Rule {
  if (JSON.stringify(fields).length > longestRule) throw new Error('it has a rule that is too long')
  const texts = (name: string): ReadonlySet<string> => new Set(memberTexts(fields, name))
  return {
    fields,
    groups: texts('apiGroups'),
    versions: texts('apiVersions'),
    resources: new Set(memberTexts(fields, 'resources').map((resource) => resource.split('/', 1)[0] ?? '')),
    verbs: texts('verbs'),
    operations: texts('operations'),
  }
}

/** @throws Error for a list, or a rule, that is too long */
function listOf(owner: JsonObject, name: string, path: string, isEquivalent: boolean): RuleList {
  const rules = memberList(owner, name)
  if (rules.length > mostRules) throw new Error(`it has more than ${mostRules} rules`)
  return { path: `${path}/${name}`, rules: rules.map((rule) => ruleOf(isObject(rule) ? rule : {})), isEquivalent }
}

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

const includes = (values: ReadonlySet<string>, value: string): boolean => values.has(value) || values.has('*')

/** Finds the removals of the versions that a rule names. A rule without versions, or with all, loses only resources that are gone. */
function removalsOf({ groups, versions, resources }: Rule, removals: Removals): readonly Removal[] {
  const isAnyVersion = versions.size === 0 || versions.has('*')
  return removals.all.filter((removal) => {
    const { group, version, resource } = removal
    if (!groups.has(group) || !includes(resources, resource)) return false
    return isAnyVersion ? removals.ofLastVersion(group, resource) === removal : versions.has(version)
  })
}

/** Whether a rule matches the version that takes the place of a removed one. */
function matchesVersion({ versions }: Rule, replacement: ResourceVersion, list: RuleList, removals: Removals): boolean {
  const { group, version, resource } = replacement
  if (versions.size === 0 || includes(versions, version)) return true
  return list.isEquivalent && [...versions].some((other) => removals.ofResource(group, other, resource) === undefined)
}

const includesAll = (values: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  values.has('*') || [...others].every((other) => values.has(other))

/** Whether a list has a rule for the replacement that allows or watches no less than another rule. */
const isCovered = (list: RuleList, replacement: ResourceVersion, than: Rule, removals: Removals): boolean =>
  list.rules.some(
    (rule) =>
      includes(rule.groups, replacement.group) &&
      includes(rule.resources, replacement.resource) &&
      includesAll(rule.verbs, than.verbs) &&
      includesAll(rule.operations, than.operations) &&
      matchesVersion(rule, replacement, list, removals),
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

function* usesOfList(list: RuleList, removals: Removals): Generator<Use> {
  for (const [index, rule] of list.rules.entries()) {
    for (const removal of removalsOf(rule, removals)) {
      const { replacement } = removal
      const path = `${list.path}/${index}`
      if (replacement === undefined) yield useOf(removal, 'rule', path, advised(goneAdvice(removal)))
      else if (!isCovered(list, replacement, rule, removals)) {
        const value = replacedRule(rule.fields, removal, replacement)
        yield useOf(removal, 'rule', path, patched({ op: 'add', path: `${list.path}/-`, value }))
      }
    }
  }
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

/**
 * Finds the uses by the rules of an object. An aggregated role has the rules of others.
 * @throws Error for an object with too many or too long rules
 */
export function ruleUses(object: JsonObject, group: string, kind: string, removals: Removals): Use[] {
  if (group === '' && kind === 'ResourceQuota') return quotaUses(object, removals)
  if (object.aggregationRule !== undefined && object.aggregationRule !== null) return []
  const key = `${group} ${kind}`
  const lists = Object.hasOwn(ruleLists, key) ? (ruleLists[key]?.(object) ?? []) : []
  const count = lists.reduce((sum, { rules }) => sum + rules.length, 0)
  if (count > mostRules) throw new Error(`it has more than ${mostRules} rules`)
  return lists.flatMap((list) => firstOf(usesOfList(list, removals), mostUses)).slice(0, mostUses)
}
