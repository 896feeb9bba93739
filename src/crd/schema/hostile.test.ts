import { expect, test } from 'vitest'
import { expectLinear } from '../../../test/linear.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import type { ApiError } from '../../meta/errors.ts'
import type { CustomResourceDefinition } from '../definition.ts'
import type { JsonSchema } from '../json-schema.ts'
import { definitionErrors } from '../validation/definition.ts'
import { applyDefaults } from './default.ts'
import { anyFormat } from './formats.ts'
import { nodeOf } from './node.ts'
import { patternError, patternOf } from './pattern.ts'
import { validateAt, validatorOf } from './validate.ts'
import { SchemaWork } from './work.ts'

const violations = (schema: JsonSchema, value: JsonValue) => validateAt(validatorOf(schema), value, '', undefined).violations

const repeated = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

function definitionOf(schema: JsonSchema): CustomResourceDefinition {
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      names,
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
    status: { acceptedNames: names, storedVersions: ['v1'], conditions: [] },
  }
}

function thrown(run: () => unknown): Partial<ApiError> {
  try {
    run()
  } catch (error) {
    return error as ApiError
  }
  return {}
}

test('hostile: multiplying alternatives end with 504 Timeout', { timeout: 120_000 }, () => {
  const alternatives = repeated(500, (i): JsonSchema => ({ minimum: i, maximum: i }))
  const schema: JsonSchema = { type: 'array', items: { type: 'integer', oneOf: alternatives } }
  expect(violations(schema, [3, 499])).toEqual([])
  const error = thrown(() =>
    violations(
      schema,
      repeated(20_000, (i) => i % 500),
    ),
  )
  expect([error.code, error.reason]).toEqual([504, 'Timeout'])
  expect(error.message).toBe('Timeout: request did not complete within requested timeout - context deadline exceeded')
})

test('hostile: repeated patterns on long texts end with 504 Timeout', () => {
  const schema: JsonSchema = { type: 'string', anyOf: repeated(1000, () => ({ pattern: 'b' })) }
  expect(thrown(() => violations(schema, 'a'.repeat(1_000_000))).code).toBe(504)
})

test('hostile: many violations are reported once each', () => {
  const list = { type: 'array', items: { type: 'integer' } }
  const found = violations(
    list,
    repeated(10_000, () => 'x'),
  )
  expect(found).toHaveLength(10_000)
  expect(found.at(-1)?.path).toBe('[9999]')
})

test('hostile: more violations than a Status can report end with 504 Timeout', () => {
  const list = { type: 'array', items: { type: 'integer' } }
  const error = thrown(() =>
    violations(
      list,
      repeated(700_000, () => 'x'),
    ),
  )
  expect(error.code).toBe(504)
})

test('hostile: violations that contain all values of a long enum end with 504 Timeout', () => {
  const schema: JsonSchema = { type: 'array', items: { type: 'string', enum: repeated(50_000, (i) => `v${i}`) } }
  const error = thrown(() =>
    violations(
      schema,
      repeated(5000, (i) => `x${i}`),
    ),
  )
  expect(error.code).toBe(504)
})

test('hostile: values that only the second alternative accepts are no violations', () => {
  const schema: JsonSchema = {
    type: 'array',
    items: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
  }
  expect(
    violations(
      schema,
      repeated(350_000, () => 'x'),
    ),
  ).toEqual([])
})

test('hostile: an enum of 100,000 strings is fast', () => {
  const schema = { type: 'array', items: { type: 'string', enum: repeated(100_000, (i) => `v${i}`) } }
  expect(
    violations(
      schema,
      repeated(50_000, () => 'v99999'),
    ),
  ).toEqual([])
  expect(violations(schema, ['nope']).map(({ kind }) => kind.rule)).toEqual(['enum'])
})

test('hostile: multiplying defaults are refused as a request that is too large', () => {
  const schema = {
    type: 'object',
    properties: {
      list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string', default: 'x'.repeat(1000) } } } },
    },
  }
  const given = (count: number): JsonObject => ({ list: repeated(count, () => ({})) })
  const some = given(3)
  applyDefaults(some, nodeOf(schema))
  expect(some.list).toEqual(repeated(3, () => ({ a: 'x'.repeat(1000) })))
  const error = thrown(() => applyDefaults(given(100_000), nodeOf(schema)))
  expect([error.code, error.message]).toEqual([500, 'etcdserver: request is too large'])
})

test.each<[string, string | RegExp]>([
  [`${'('.repeat(1100)}a${')'.repeat(1100)}`, /expression nests too deeply/],
  ['(?=a)b', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
  ['(a)\\1', 'error parsing regexp: invalid escape sequence: `\\1`'],
])('hostile: %.20s is not a valid pattern', (pattern, text) => {
  expect(patternError(pattern)).toEqual(typeof text === 'string' ? text : expect.stringMatching(text))
})

test('hostile: a pattern with exponential backtracking elsewhere matches in linear time', () => {
  const count = new SchemaWork().match
  expect(patternOf('(x+x+)+y')('x'.repeat(100_000), count)).toBe(false)
  expect(patternOf('(x+x+)+y')(`${'x'.repeat(100_000)}y`, count)).toBe(true)
})

test.each<[string, JsonSchema]>([
  [
    'with 20,000 properties',
    { type: 'object', properties: Object.fromEntries(repeated(20_000, (i) => [`p${i}`, { type: 'string' }])) },
  ],
  [
    'with 5,000 patterns',
    {
      type: 'object',
      properties: Object.fromEntries(repeated(5000, (i) => [`p${i}`, { type: 'string', pattern: '^(a|b|c){1,200}$' }])),
    },
  ],
  [
    'nested as deeply as a body may be',
    repeated(400, (i) => i).reduce<JsonSchema>((inner) => ({ type: 'object', properties: { a: inner } }), { type: 'string' }),
  ],
])('hostile: a schema %s is accepted', (_, spec) => {
  expect(definitionErrors(definitionOf({ type: 'object', properties: { spec } }))).toEqual([])
})

test.each(['1', '1 ', '1a', 'µ', '0.0h'])('hostile: the format duration reads a long text of %j in linear time', (unit) => {
  const check = anyFormat('duration').check
  expectLinear((size) => {
    const text = unit.repeat(size)
    return () => check?.(text)
  }, 3000)
})
