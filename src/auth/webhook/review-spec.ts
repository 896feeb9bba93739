/**
 * The input of an authorization webhook and its match conditions: the spec of a SubjectAccessReview of authorization.k8s.io/v1.
 */
import { ArrayList, EntryMap } from '../../cel/collections.ts'
import type { Value } from '../../cel/value.ts'
import type { User } from '../../meta/user.ts'
import type { Attributes } from '../attributes.ts'
import { stringListMap } from '../cel-program.ts'

/** The spec of a SubjectAccessReview. */
export interface ReviewSpec {
  readonly resourceAttributes?: Readonly<Record<string, string>>
  readonly nonResourceAttributes?: Readonly<Record<string, string>>
  readonly user: string
  readonly groups: readonly string[]
  readonly extra?: User['extra']
  readonly uid: string
}

/** The fields of a review's resource. */
export const resourceFields = ['namespace', 'verb', 'group', 'version', 'resource', 'subresource', 'name'] as const

/** Returns the spec of a review. Fields that are '' are kept, because conditions may refer to them. */
export function reviewSpec({ name, uid, groups, extra }: User, attributes: Attributes): ReviewSpec {
  const userFields = { user: name, groups, uid, ...(Object.keys(extra).length > 0 && { extra }) }
  if (!attributes.isResource) return { nonResourceAttributes: { path: attributes.path, verb: attributes.verb }, ...userFields }
  const resourceAttributes = Object.fromEntries(resourceFields.map((field) => [field, attributes[field] ?? '']))
  return { resourceAttributes, ...userFields }
}

/** Converts the spec to the variable `request`. */
export function reviewValue({ resourceAttributes, nonResourceAttributes, user, groups, extra = {}, uid }: ReviewSpec): Value {
  const entries: [string, Value][] = [
    ['user', user],
    ['groups', new ArrayList([...groups])],
    ['uid', uid],
    ['extra', stringListMap(extra)],
  ]
  if (resourceAttributes !== undefined) entries.push(['resourceAttributes', EntryMap.of(Object.entries(resourceAttributes))])
  if (nonResourceAttributes !== undefined)
    entries.push(['nonResourceAttributes', EntryMap.of(Object.entries(nonResourceAttributes))])
  return EntryMap.of(entries)
}
