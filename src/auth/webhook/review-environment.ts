/** The environment of the match conditions of authorization webhooks. */
import type { Environment } from '../../cel/environment.ts'
import { KUBERNETES } from '../../cel/kubernetes-environment.ts'
import { listOf, mapOf, objectType, STRING } from '../../cel/types.ts'
import { resourceFields } from './review-spec.ts'

const texts = (names: readonly string[]) => new Map(names.map((name) => [name, STRING] as const))
const requirement = new Map([...texts(['key', 'operator']), ['values', listOf(STRING)] as const])
const selector = new Map([
  ...texts(['rawSelector']),
  ['requirements', listOf(objectType('kubernetes.SelectorRequirement'))] as const,
])

/** The variable `request` of match conditions, with its types. */
export const reviewEnvironment: Environment = KUBERNETES.extend({
  variables: { request: objectType('kubernetes.SubjectAccessReviewSpec') },
  objects: [
    {
      name: 'kubernetes.SubjectAccessReviewSpec',
      fields: new Map([
        ['resourceAttributes', objectType('kubernetes.ResourceAttributes')],
        ['nonResourceAttributes', objectType('kubernetes.NonResourceAttributes')],
        ['user', STRING],
        ['groups', listOf(STRING)],
        ['extra', mapOf(STRING, listOf(STRING))],
        ['uid', STRING],
      ]),
    },
    {
      name: 'kubernetes.ResourceAttributes',
      fields: new Map([
        ...texts(resourceFields),
        ['fieldSelector', objectType('kubernetes.FieldSelectorAttributes')] as const,
        ['labelSelector', objectType('kubernetes.LabelSelectorAttributes')] as const,
      ]),
    },
    { name: 'kubernetes.NonResourceAttributes', fields: texts(['path', 'verb']) },
    { name: 'kubernetes.FieldSelectorAttributes', fields: selector },
    { name: 'kubernetes.LabelSelectorAttributes', fields: selector },
    { name: 'kubernetes.SelectorRequirement', fields: requirement },
  ],
})
