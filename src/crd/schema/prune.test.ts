import { expect, test } from 'vitest'
import type { JsonValue } from '../../go/json-value.ts'
import type { JsonSchema } from '../json-schema.ts'
import { applyDefaults } from './default.ts'
import { nodeOf } from './node.ts'
import { prune, pruneNulls } from './prune.ts'

const text: JsonSchema = { type: 'string' }

/** Prunes a value; returns the rest and the paths of pruned fields. */
function pruned(schema: JsonSchema, value: JsonValue): { left: JsonValue; gone: string[] } {
  const left = structuredClone(value)
  return { gone: prune(left, nodeOf(schema), true, 'tell'), left }
}

test('unknown fields are pruned at all levels and reported by path, sorted', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { list: { type: 'array', items: { type: 'object', properties: { a: text } } } } },
    },
  }
  const value = { kind: 'W', metadata: { x: 1 }, spec: { z: 1, list: [{ a: 'x', b: 1 }, 'no object'] } }
  expect(pruned(schema, value)).toEqual({
    left: { kind: 'W', metadata: { x: 1 }, spec: { list: [{ a: 'x' }, 'no object'] } },
    gone: ['spec.list[0].b', 'spec.z'],
  })
})

test('x-kubernetes-preserve-unknown-fields keeps unknown fields and prunes within declared ones', () => {
  const schema: JsonSchema = {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    properties: { spec: { type: 'object', properties: { a: text } } },
  }
  expect(pruned(schema, { other: { deep: [1] }, spec: { a: 'x', b: 2 } })).toEqual({
    left: { other: { deep: [1] }, spec: { a: 'x' } },
    gone: ['spec.b'],
  })
})

test('__proto__ is pruned like any other unknown field', () => {
  const value = JSON.parse('{"spec":{"__proto__":{"a":1}}}') as JsonValue
  expect(pruned({ type: 'object', properties: { spec: { type: 'object' } } }, value).gone).toEqual(['spec.__proto__'])
})

test('null is pruned unless the field is nullable or has a default', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      plain: text,
      nullable: { type: 'string', nullable: true },
      defaulted: { type: 'string', default: 'd' },
      list: { type: 'array', items: { type: 'object', properties: { a: { type: 'integer', default: 1 } } } },
    },
  }
  const node = nodeOf(schema)
  const value: JsonValue = { plain: null, nullable: null, defaulted: null, list: [{}, { a: 5 }] }
  pruneNulls(value, node)
  applyDefaults(value, node)
  expect(value).toEqual({ nullable: null, defaulted: 'd', list: [{ a: 1 }, { a: 5 }] })
})

test('defaults are copied, so that objects do not share them', () => {
  const node = nodeOf({
    type: 'object',
    properties: { o: { type: 'object', default: {}, properties: { a: { type: 'array', items: text, default: ['x'] } } } },
  })
  const [one, other]: [JsonValue, JsonValue] = [{}, {}]
  applyDefaults(one, node)
  ;(one as { o: { a: string[] } }).o.a.push('y')
  applyDefaults(other, node)
  expect(other).toEqual({ o: { a: ['x'] } })
})
