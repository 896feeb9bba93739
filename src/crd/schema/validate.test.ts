import { expect, test } from 'vitest'
import type { JsonValue } from '../../go/json-value.ts'
import type { JsonSchema } from '../json-schema.ts'
import { Correlation } from './correlation.ts'
import { nodeOf } from './node.ts'
import { validateAt, validatorOf } from './validate.ts'
import { fieldErrorOf } from './violation.ts'

/** Returns the error messages of a value. */
function errors(schema: JsonSchema, value: JsonValue, old?: JsonValue): string[] {
  const correlation = old === undefined ? undefined : new Correlation(value, old, nodeOf(schema))
  const { violations } = validateAt(validatorOf(schema), value, '', correlation)
  return violations.map((violation) => fieldErrorOf(violation, '')).map(({ field, text }) => `${field}: ${text}`)
}

const object = (properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
})

test.each<[string, JsonSchema, JsonValue, string]>([
  ['type', { type: 'integer' }, 'x', 'Invalid value: "string": v in body must be of type integer: "string"'],
  ['null', { type: 'integer' }, null, 'Invalid value: "null": v in body must be of type integer: "null"'],
  ['minimum', { type: 'integer', minimum: 2 }, 1, 'Invalid value: 1: v in body should be greater than or equal to 2'],
  [
    'exclusiveMaximum',
    { type: 'number', maximum: 2, exclusiveMaximum: true },
    2,
    'Invalid value: 2: v in body should be less than 2',
  ],
  ['multiple', { type: 'integer', multipleOf: 3 }, 4, 'Invalid value: 4: v in body should be a multiple of 3'],
  ['maxLength', { type: 'string', maxLength: 1 }, 'ab', 'Too long: may not be more than 1 byte'],
  ['pattern', { type: 'string', pattern: '^a+$' }, 'b', 'Invalid value: "b": v in body should match \'^a+$\''],
  ['format', { type: 'string', format: 'ipv4' }, 'x', 'Invalid value: "x": v in body must be of type ipv4: "x"'],
  ['enumeration', { type: 'string', enum: ['a', 'b'] }, 'c', 'Unsupported value: "c": supported values: "a", "b"'],
  ['items', { type: 'array', maxItems: 1, items: { type: 'string' } }, ['a', 'b'], 'Too many: 2: must have at most 1 item'],
])('schema validation of %s', (_, schema, value, text) => {
  expect(errors(object({ v: schema }), { v: value })).toEqual([`v: ${text}`])
})

test('a missing required field is reported with its whole path', () => {
  expect(errors(object({ a: object({}, { required: ['b'] }) }), { a: {} })).toEqual(['a.b: Required value'])
})

test('anyOf reports the alternative with the most passed checks', () => {
  const schema = object({ v: { anyOf: [{ required: ['a', 'b'] }, { required: ['a'], maxProperties: 0 }] } })
  expect(errors(schema, { v: { a: 1 } })[0]).toBe('<nil>: Invalid value: "": "v" must validate at least one schema (anyOf)')
})

test('maxLength counts a surrogate pair as one character', () => {
  expect(errors(object({ v: { type: 'string', maxLength: 1 } }), { v: '😀' })).toEqual([])
})

test('ratcheting: an unchanged value need not become valid', () => {
  const strict = object({ a: { type: 'string', maxLength: 1 }, b: { type: 'string', maxLength: 1 } })
  expect(errors(strict, { a: 'long', b: 'x' }, { a: 'long', b: 'y' })).toEqual([])
  expect(errors(strict, { a: 'longer', b: 'x' }, { a: 'long', b: 'y' })).toHaveLength(1)
})

test('ratcheting: an unchanged value hides no violation of the values before and after it', () => {
  const short: JsonSchema = { type: 'string', maxLength: 1 }
  const schema = object({ a: short, b: short, c: short })
  const old = { a: 'old', b: 'same', c: 'old' }
  const text = 'Too long: may not be more than 1 byte'
  expect(errors(schema, { a: 'new', b: 'same', c: 'new' }, old)).toEqual([`a: ${text}`, `c: ${text}`])
})

test('ratcheting: items of a list of type map are correlated by their keys', () => {
  const items = object({ k: { type: 'string' }, v: { type: 'string', maxLength: 1 } })
  const schema = object({ l: { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] } })
  const old = {
    l: [
      { k: 'a', v: 'long' },
      { k: 'b', v: 'x' },
    ],
  }
  expect(
    errors(
      schema,
      {
        l: [
          { k: 'b', v: 'y' },
          { k: 'a', v: 'long' },
        ],
      },
      old,
    ),
  ).toEqual([])
  expect(errors(schema, { l: [{ k: 'c', v: 'long' }] }, old)).toHaveLength(1)
})

test('a pattern with exponential backtracking elsewhere is matched in linear time', () => {
  expect(errors(object({ v: { type: 'string', pattern: '^(a+)+$' } }), { v: `${'a'.repeat(5000)}b` })).toHaveLength(1)
})
