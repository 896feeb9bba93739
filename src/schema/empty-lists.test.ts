import { expect, test } from 'vitest'
import { typeOf } from '../catalog/scheme.ts'
import type { JsonObject } from '../go/json-value.ts'
import { decode } from './decode.ts'
import { nullEmptyLists } from './empty-lists.ts'

test.each([
  ['rbac/v1.Role', { rules: [] }, { metadata: {}, rules: null }],
  ['rbac/v1.Role', { rules: [{ verbs: [] }] }, { metadata: {}, rules: [{ verbs: null }] }],
  [
    'apiextensions/v1.CustomResourceDefinition',
    { spec: { versions: [{ schema: { openAPIV3Schema: { properties: { a: { enum: [] } } } } }] } },
    undefined,
  ],
])('empty lists and maps in storage: %s %j', (reference, given, settled) => {
  const type = typeOf(reference)
  const { object } = decode(type, given as unknown as JsonObject)
  nullEmptyLists(type, object)
  if (settled !== undefined) expect(object).toEqual(settled)
  expect(JSON.stringify(object)).not.toContain('[]')
})
