/** The audit policy (Policy of audit.k8s.io/v1): the level of each request. Follows apiserver's audit policy checker. */
import type { Attributes } from '../../auth/attributes.ts'
import { trimRight } from '../../go/text.ts'
import type { User } from '../../meta/user.ts'

/** The levels of detail, least first. */
export const levels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const
export type Level = (typeof levels)[number]

/** The stages of a request at which events are emitted. */
export const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const
export type Stage = (typeof stages)[number]

/** The resources of one group in a rule. */
export interface GroupResources {
  readonly group: string
  /** Possible entries are `*`, `pods`, `pods/log`, `pods/*` and `*` before `/scale`. An empty list matches all resources. */
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
}

/** One rule. An empty list matches everything. */
export interface PolicyRule {
  readonly level: Level
  readonly users: readonly string[]
  readonly userGroups: readonly string[]
  readonly verbs: readonly string[]
  readonly resources: readonly GroupResources[]
  readonly namespaces: readonly string[]
  readonly nonResourceURLs: readonly string[]
  readonly omitStages: readonly Stage[]
  readonly omitManagedFields: boolean
}

/** The decision about one request. */
export interface Recording {
  readonly level: Level
  readonly omitStages: readonly Stage[]
  readonly omitManagedFields: boolean
}

const unrecorded: Recording = { level: 'None', omitStages: [], omitManagedFields: false }

function covers(url: string, path: string): boolean {
  return url === '*' || url === path || (url.endsWith('*') && path.startsWith(trimRight(url, '*')))
}

function matchesGroup(
  attributes: Attributes & { readonly isResource: true },
  { group, resources, resourceNames }: GroupResources,
): boolean {
  const { resource, subresource, name } = attributes
  if (group !== '*' && group !== attributes.group) return false
  if (resources.length === 0) return true
  if (resourceNames.length > 0 && !resourceNames.includes(name)) return false
  const whole = subresource === '' ? resource : `${resource}/${subresource}`
  return resources.some(
    (one) => one === '*' || one === whole || one === `${resource}/*` || (subresource !== '' && one === `*/${subresource}`),
  )
}

function matchesAttributes({ namespaces, resources, nonResourceURLs }: PolicyRule, attributes: Attributes): boolean {
  if (namespaces.length > 0 || resources.length > 0) {
    if (!attributes.isResource) return false
    if (namespaces.length > 0 && !namespaces.includes(attributes.namespace)) return false
    return resources.length === 0 || resources.some((group) => matchesGroup(attributes, group))
  }
  return nonResourceURLs.length === 0 || (!attributes.isResource && nonResourceURLs.some((url) => covers(url, attributes.path)))
}

function matches(rule: PolicyRule, user: User | undefined, attributes: Attributes): boolean {
  const { users, userGroups, verbs } = rule
  if (users.length > 0 && !(user !== undefined && users.includes(user.name))) return false
  if (userGroups.length > 0 && !(user?.groups.some((group) => userGroups.includes(group)) ?? false)) return false
  return (verbs.length === 0 || verbs.includes(attributes.verb)) && matchesAttributes(rule, attributes)
}

/** The rules of a deployment. The first rule that matches decides. */
export class AuditPolicy {
  readonly #rules: readonly PolicyRule[]

  constructor(rules: readonly PolicyRule[]) {
    this.#rules = rules
  }

  /** Returns the decision about a request. @param user undefined if the request could not be authenticated */
  evaluate(user: User | undefined, attributes: Attributes): Recording {
    return this.#rules.find((rule) => matches(rule, user, attributes)) ?? unrecorded
  }
}
