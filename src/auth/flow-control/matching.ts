/** The matching rules of FlowSchemas. Follows flowcontrol.apiserver.k8s.io/v1 (KEP-1040). */
import type {
  FlowNonResourceRule,
  FlowResourceRule,
  FlowRule,
  FlowSchema,
  FlowSubject,
} from '../../clusters/flow-control-objects.ts'
import type { User } from '../../meta/user.ts'
import type { Attributes, NonResourceAttributes, ResourceAttributes } from '../attributes.ts'

/** Validation ensures that a wildcard is the only item of its list. */
const holds = (list: readonly string[], value: string): boolean => list[0] === '*' || list.includes(value)

function isAbout(subject: FlowSubject, user: User): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.name === '*' || subject.name === user.name
    case 'Group':
      return subject.name === '*' || user.groups.includes(subject.name)
    case 'ServiceAccount': {
      const accounts = `system:serviceaccount:${subject.namespace}:`
      return subject.name === '*' ? user.name.startsWith(accounts) : user.name === accounts + subject.name
    }
  }
}

function matchesResource(rule: FlowResourceRule, attributes: ResourceAttributes): boolean {
  const resource = attributes.subresource === '' ? attributes.resource : `${attributes.resource}/${attributes.subresource}`
  return (
    holds(rule.verbs, attributes.verb) &&
    holds(rule.resources, resource) &&
    holds(rule.apiGroups, attributes.group) &&
    (attributes.namespace === '' ? rule.clusterScope : holds(rule.namespaces, attributes.namespace))
  )
}

/** Whether a rule's URL matches a path. It also matches all paths below it, with or without a trailing `*`. */
function covers(url: string, path: string): boolean {
  if (url === '*' || url === path) return true
  const prefix = url.endsWith('*') ? url.slice(0, -1) : url
  return path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`)
}

function matchesPath(rule: FlowNonResourceRule, attributes: NonResourceAttributes): boolean {
  return holds(rule.verbs, attributes.verb) && rule.nonResourceURLs.some((url) => covers(url, attributes.path))
}

/** Returns the rules of a schema whose subjects match the user. */
export function rulesAbout(schema: FlowSchema, user: User): readonly FlowRule[] {
  return schema.rules.filter((rule) => rule.subjects.some((subject) => isAbout(subject, user)))
}

/** Whether a rule matches the request, for any user. */
export function matchesRequest({ resourceRules, nonResourceRules }: FlowRule, attributes: Attributes): boolean {
  return attributes.isResource
    ? resourceRules.some((rule) => matchesResource(rule, attributes))
    : nonResourceRules.some((rule) => matchesPath(rule, attributes))
}
