/** Matches one PolicyRule. Follows the RBAC authorizer of kube-apiserver. */
import type { PolicyRule } from '../../clusters/rbac-objects.ts'
import { trimRight } from '../../go/text.ts'
import type { Attributes, ResourceAttributes } from '../attributes.ts'

const none: readonly string[] = []

const holds = (list: readonly string[] | undefined, value: string): boolean =>
  list !== undefined && (list.includes('*') || list.includes(value))

function matchesResource(rule: PolicyRule, { resource, subresource }: ResourceAttributes): boolean {
  if (subresource === '') return holds(rule.resources, resource)
  return holds(rule.resources, `${resource}/${subresource}`) || (rule.resources ?? none).includes(`*/${subresource}`)
}

/** Whether a rule that covers a request allows it for a name; '' for a request without a name. */
export function allowsName({ resourceNames = none }: PolicyRule, name: string): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name)
}

/** Whether a nonResourceURL covers a path: a trailing `*` matches any suffix. */
export function urlCovers(url: string, path: string): boolean {
  return url === path || (url.endsWith('*') && path.startsWith(trimRight(url, '*')))
}

/** Whether the rule allows the request, at least for some resource name. */
export function ruleCovers(rule: PolicyRule, attributes: Attributes): boolean {
  if (!holds(rule.verbs, attributes.verb)) return false
  if (!attributes.isResource) return (rule.nonResourceURLs ?? none).some((url) => urlCovers(url, attributes.path))
  return holds(rule.apiGroups, attributes.group) && matchesResource(rule, attributes)
}
