/** Which requests are recorded, and how much of them: Policy of audit.k8s.io/v1. Follows apiserver's audit policy checker. */
import type { Attributes } from '../../auth/attributes.ts'
import type { User } from '../../meta/user.ts'

/** How much of a request is recorded, least first. */
export const levels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const
export type Level = (typeof levels)[number]

/** When events are made. */
export const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const
export type Stage = (typeof stages)[number]

/** Resources of a group. */
export interface GroupResources {
  readonly group: string
  /** None stands for all; `*`, `pods`, `pods/log`, `pods/*` and `*` before `/scale`. */
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
}

/** One rule. An empty list asks for nothing. */
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

/** What becomes of one request. */
export interface Recording {
  readonly level: Level
  readonly omitStages: readonly Stage[]
  readonly omitManagedFields: boolean
}

const unrecorded: Recording = { level: 'None', omitStages: [], omitManagedFields: false }

function covers(url: string, path: string): boolean {
  return url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.replace(/\*+$/, '')))
}

function matchesGroup(
  asked: Attributes & { readonly isResource: true },
  { group, resources, resourceNames }: GroupResources,
): boolean {
  const { resource, subresource, name } = asked
  if (group !== '*' && group !== asked.group) return false
  if (resources.length === 0) return true
  if (resourceNames.length > 0 && !resourceNames.includes(name)) return false
  const whole = subresource === '' ? resource : `${resource}/${subresource}`
  return resources.some(
    (one) => one === '*' || one === whole || one === `${resource}/*` || (subresource !== '' && one === `*/${subresource}`),
  )
}

function matchesAsked({ namespaces, resources, nonResourceURLs }: PolicyRule, asked: Attributes): boolean {
  if (namespaces.length > 0 || resources.length > 0) {
    if (!asked.isResource) return false
    if (namespaces.length > 0 && !namespaces.includes(asked.namespace)) return false
    return resources.length === 0 || resources.some((group) => matchesGroup(asked, group))
  }
  return nonResourceURLs.length === 0 || (!asked.isResource && nonResourceURLs.some((url) => covers(url, asked.path)))
}

function matches(rule: PolicyRule, user: User | undefined, asked: Attributes): boolean {
  const { users, userGroups, verbs } = rule
  if (users.length > 0 && !(user !== undefined && users.includes(user.name))) return false
  if (userGroups.length > 0 && !(user?.groups.some((group) => userGroups.includes(group)) ?? false)) return false
  return (verbs.length === 0 || verbs.includes(asked.verb)) && matchesAsked(rule, asked)
}

/** The rules of a deployment. The first one that matches decides. */
export class AuditPolicy {
  readonly #rules: readonly PolicyRule[]

  constructor(rules: readonly PolicyRule[]) {
    this.#rules = rules
  }

  /** @param user undefined for a request that could not be authenticated */
  evaluate(user: User | undefined, asked: Attributes): Recording {
    return this.#rules.find((rule) => matches(rule, user, asked)) ?? unrecorded
  }
}
