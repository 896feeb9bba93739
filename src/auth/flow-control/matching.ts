/** Which requests a FlowSchema is about. Follows the matching rules of flowcontrol.apiserver.k8s.io/v1 (KEP-1040). */
import type {
  FlowNonResourceRule,
  FlowResourceRule,
  FlowRule,
  FlowSchema,
  FlowSubject,
} from '../../clusters/flow-control-objects.ts'
import type { User } from '../../meta/user.ts'
import type { Attributes, NonResourceAttributes, ResourceAttributes } from '../attributes.ts'

/** Validation leaves a wildcard alone in its list. */
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

function matchesResource(rule: FlowResourceRule, asked: ResourceAttributes): boolean {
  const resource = asked.subresource === '' ? asked.resource : `${asked.resource}/${asked.subresource}`
  return (
    holds(rule.verbs, asked.verb) &&
    holds(rule.resources, resource) &&
    holds(rule.apiGroups, asked.group) &&
    (asked.namespace === '' ? rule.clusterScope : holds(rule.namespaces, asked.namespace))
  )
}

/** A URL of a rule covers what is below it, too, whether or not it ends in `*`. */
function covers(url: string, path: string): boolean {
  if (url === '*' || url === path) return true
  const prefix = url.endsWith('*') ? url.slice(0, -1) : url
  return path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`)
}

function matchesPath(rule: FlowNonResourceRule, asked: NonResourceAttributes): boolean {
  return holds(rule.verbs, asked.verb) && rule.nonResourceURLs.some((url) => covers(url, asked.path))
}

/** The rules of a schema that are about this user. */
export function rulesAbout(schema: FlowSchema, user: User): readonly FlowRule[] {
  return schema.rules.filter((rule) => rule.subjects.some((subject) => isAbout(subject, user)))
}

/** Whether a rule is about this request, whoever makes it. */
export function matchesRequest({ resourceRules, nonResourceRules }: FlowRule, asked: Attributes): boolean {
  return asked.isResource
    ? resourceRules.some((rule) => matchesResource(rule, asked))
    : nonResourceRules.some((rule) => matchesPath(rule, asked))
}
