import { expect, test } from 'vitest'
import type { JsonValue } from '../../go/json-value.ts'
import type { JsonSchema } from '../json-schema.ts'
import { applyDefaults } from './default.ts'
import { nodeOf } from './node.ts'
import { prune, pruneNulls } from './prune.ts'

const text: JsonSchema = { type: 'string' }

/** What is left of a value, and what is told to be gone. */
function pruned(schema: JsonSchema, value: JsonValue): { left: JsonValue; gone: string[] } {
  const left = structuredClone(value)
  return { gone: prune(left, nodeOf(schema), true, 'tell'), left }
}

test('unknown fields go, wherever they are, and are told by their paths in order', () => {
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

test('what preserves unknown fields keeps them, and prunes what it declares', () => {
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

test('a key that only looks like the prototype is a field like others', () => {
  const value = JSON.parse('{"spec":{"__proto__":{"a":1}}}') as JsonValue
  expect(pruned({ type: 'object', properties: { spec: { type: 'object' } } }, value).gone).toEqual(['spec.__proto__'])
})

test('null is pruned where it is no value, unless a default takes its place', () => {
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

test('a default is copied: objects that were given it do not share it', () => {
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
