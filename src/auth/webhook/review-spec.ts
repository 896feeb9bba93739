/**
 * The input of an authorization webhook and its match conditions: the spec of a SubjectAccessReview of authorization.k8s.io/v1.
 */
import { ArrayList, EntryMap } from '../../cel/collections.ts'
import type { Value } from '../../cel/value.ts'
import type { User } from '../../meta/user.ts'
import type { Attributes, ResourceAttributes } from '../attributes.ts'
import { stringListMap } from '../cel-program.ts'
import { fieldRequirements, labelRequirements, type SelectorRequirement } from '../selector-requirements.ts'

interface SelectorAttributes {
  readonly requirements: readonly SelectorRequirement[]
}

/** The spec of a SubjectAccessReview. */
export interface ReviewSpec {
  readonly resourceAttributes?: Readonly<Record<string, string | SelectorAttributes>>
  readonly nonResourceAttributes?: Readonly<Record<string, string>>
  readonly user: string
  readonly groups: readonly string[]
  readonly extra?: User['extra']
  readonly uid: string
}

/** The fields of a review's resource. */
export const resourceFields = ['namespace', 'verb', 'group', 'version', 'resource', 'subresource', 'name'] as const

/** Returns the selectors of the request, each if it has requirements that can be read. */
function selectorsOf({ fieldSelector, labelSelector }: ResourceAttributes): Readonly<Record<string, SelectorAttributes>> {
  const { requirements: ofFields } = fieldRequirements(fieldSelector ?? {})
  const { requirements: ofLabels } = labelRequirements(labelSelector ?? {})
  return {
    ...(ofFields.length > 0 && { fieldSelector: { requirements: ofFields } }),
    ...(ofLabels.length > 0 && { labelSelector: { requirements: ofLabels } }),
  }
}

/** Returns the spec of a review. Fields that are '' are kept, because conditions may refer to them. */
export function reviewSpec({ name, uid, groups, extra }: User, attributes: Attributes): ReviewSpec {
  const userFields = { user: name, groups, uid, ...(Object.keys(extra).length > 0 && { extra }) }
  if (!attributes.isResource) return { nonResourceAttributes: { path: attributes.path, verb: attributes.verb }, ...userFields }
  const texts = Object.fromEntries(resourceFields.map((field) => [field, attributes[field] ?? '']))
  return { resourceAttributes: { ...texts, ...selectorsOf(attributes) }, ...userFields }
}

const requirementValue = ({ key, operator, values = [] }: SelectorRequirement): Value =>
  EntryMap.of([
    ['key', key],
    ['operator', operator],
    ...(values.length > 0 ? ([['values', new ArrayList([...values])]] as const) : []),
  ])

const attributeValue = (value: string | SelectorAttributes): Value =>
  typeof value === 'string' ? value : EntryMap.of([['requirements', new ArrayList(value.requirements.map(requirementValue))]])

/** Converts the spec to the variable `request`. */
export function reviewValue({ resourceAttributes, nonResourceAttributes, user, groups, extra = {}, uid }: ReviewSpec): Value {
  const entries: [string, Value][] = [
    ['user', user],
    ['groups', new ArrayList([...groups])],
    ['uid', uid],
    ['extra', stringListMap(extra)],
  ]
  if (resourceAttributes !== undefined) {
    const values = Object.entries(resourceAttributes).map(([name, value]): [string, Value] => [name, attributeValue(value)])
    entries.push(['resourceAttributes', EntryMap.of(values)])
  }
  if (nonResourceAttributes !== undefined)
    entries.push(['nonResourceAttributes', EntryMap.of(Object.entries(nonResourceAttributes))])
  return EntryMap.of(entries)
}
