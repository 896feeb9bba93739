import { expect, test } from 'vitest'
import type { CustomResourceDefinition, DefinitionVersion } from '../definition.ts'
import type { JsonSchema } from '../json-schema.ts'
import { definitionErrors, definitionUpdateErrors } from './definition.ts'

const root = (spec: JsonSchema): JsonSchema => ({ type: 'object', properties: { spec } })

function definition(spec: JsonSchema, version: Partial<DefinitionVersion> = {}): CustomResourceDefinition {
  return {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: root(spec) }, ...version }],
      conversion: { strategy: 'None' },
    },
    status: { acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
  }
}

const errorTexts = (given: CustomResourceDefinition): string[] =>
  definitionErrors(given).map(({ field, text }) => `${field}: ${text}`)
const place = 'spec.validation.openAPIV3Schema.properties[spec]'

test('a valid CustomResourceDefinition has no errors', () => {
  expect(errorTexts(definition({ type: 'object', properties: { a: { type: 'string', default: 'x' } } }))).toEqual([])
})

test.each<[string, JsonSchema, string]>([
  ['a missing type', {}, `${place}.type: Required value: must not be empty for specified object fields`],
  [
    'a type within anyOf',
    { type: 'object', anyOf: [{ type: 'object' }] },
    `${place}.anyOf[0].type: Forbidden: must be empty to be structural`,
  ],
  [
    'a default with unknown fields',
    { type: 'object', default: { a: 1 } },
    `${place}.default: Invalid value: {"a":1}: must not have unknown fields`,
  ],
  ['$ref', { type: 'object', $ref: '#/x' }, `${place}.$ref: Forbidden: $ref is not supported`],
  [
    'a dependency that is not a schema',
    JSON.parse('{"type":"object","dependencies":{"key":null}}') as JsonSchema,
    `${place}.dependencies: Forbidden: dependencies is not supported`,
  ],
  [
    'an invalid CEL rule',
    { type: 'object', 'x-kubernetes-validations': [{ rule: ' ' }] },
    `${place}.x-kubernetes-validations[0].rule: Required value: rule is not specified`,
  ],
])('a CustomResourceDefinition schema is refused: %s', (_, schema, text) => {
  expect(errorTexts(definition(schema))).toContain(text)
})

test('an invalid pattern is refused', () => {
  expect(errorTexts(definition({ type: 'string', pattern: '(' }))[0]).toContain(
    "must be a valid regular expression, but isn't: error parsing regexp",
  )
})

test('CEL rules beyond the cost limit are refused', () => {
  const item: JsonSchema = { type: 'string' }
  const list: JsonSchema = {
    type: 'array',
    items: item,
    'x-kubernetes-validations': [{ rule: 'self.all(a, self.all(b, a == b))' }],
  }
  expect(errorTexts(definition({ type: 'object', properties: { l: list } })).join()).toContain(
    'estimated rule cost exceeds budget by factor of more than 100x',
  )
})

test('scope and kind are immutable after the definition is established', () => {
  const old = definition({ type: 'object' })
  const established = {
    ...old,
    status: { acceptedNames: old.spec.names, storedVersions: ['v1'], conditions: [{ type: 'Established', status: 'True' }] },
  }
  const changed = { ...established, spec: { ...old.spec, scope: 'Cluster' } }
  expect(definitionUpdateErrors(changed, established).map(({ field }) => field)).toEqual(['spec.scope'])
  expect(definitionUpdateErrors({ ...old, spec: { ...old.spec, scope: 'Cluster' } }, old)).toEqual([])
})

const many = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item)

test('a CustomResourceDefinition with 300,000 equal x-kubernetes-list-map-keys has as many errors as a Status can contain', () => {
  const keys = many(300_000, 'a')
  const items: JsonSchema = { type: 'object', required: ['a'], properties: { a: { type: 'string' } } }
  const list: JsonSchema = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys, items }
  const errors = definitionErrors(definition({ type: 'object', properties: { list } }))
  expect(errors.length).toBeGreaterThan(0)
  expect(errors.length).toBeLessThan(20)
})

test('a CustomResourceDefinition with 200,000 errors of printer columns is refused for them', () => {
  const columns = many(70_000, { name: '', type: '', jsonPath: '' })
  const errors = definitionErrors(definition({ type: 'object' }, { additionalPrinterColumns: columns }))
  expect(errors.length).toBe(10_000)
})
