import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rawNumber } from '../go/json.ts'
import type { JsonObject } from '../go/json-value.ts'
import { ApiError } from '../meta/errors.ts'
import { compare } from './compare.ts'
import { reconcile } from './reconcile.ts'
import { shapeOf } from './schema.ts'
import { fieldSet } from './typed.ts'
import { anything, list, mapOf, string, struct, widget } from './types.fixture.ts'

const compared = (old: JsonObject | undefined, object: JsonObject) => compare(widget, old, object)
const spec = (fields: JsonObject): JsonObject => ({ spec: fields })

describe('compare', () => {
  test('a create is compared with the zero value of the type', () => {
    const { added, modified, removed } = compared(undefined, {
      data: { b: '1', a: '2' },
      spec: {
        selector: { a: 'b' },
        containers: [{ name: 'c', ports: [{ port: 443 }, { port: 80, protocol: 'UDP' }, { port: 80 }] }],
      },
      status: {},
    })
    expect(JSON.stringify(added)).toBe(
      '{"f:data":{".":{},"f:a":{},"f:b":{}},' +
        '"f:spec":{"f:containers":{"k:{\\"name\\":\\"c\\"}":{".":{},"f:name":{},"f:ports":{".":{},' +
        '"k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:port":{}},' +
        '"k:{\\"port\\":80,\\"protocol\\":\\"UDP\\"}":{".":{},"f:port":{},"f:protocol":{}},' +
        '"k:{\\"port\\":443,\\"protocol\\":\\"TCP\\"}":{".":{},"f:port":{}}},"f:resources":{}}},"f:selector":{}}}',
    )
    expect([modified, removed]).toEqual([{}, {}])
  })

  test('equal values are no change, in any order of keys', () => {
    const object = spec({ selector: { a: '1', b: '2' }, free: { x: [1, { y: null }] }, containers: [{ name: 'c', image: 'i' }] })
    const other = spec({ containers: [{ image: 'i', name: 'c' }], free: { x: [1, { y: null }] }, selector: { b: '2', a: '1' } })
    expect(compared(object, other)).toEqual({ added: {}, removed: {}, modified: {} })
  })

  test('a pointer to an empty struct is a leaf, and its fields are added and removed below it', () => {
    expect(compared(spec({}), spec({ options: {} })).added).toEqual({ 'f:spec': { 'f:options': {} } })
    expect(compared(spec({ options: {} }), spec({ options: { mode: 'x' } })).added).toEqual({
      'f:spec': { 'f:options': { 'f:mode': {} } },
    })
    expect(compared(spec({ options: { mode: 'x' } }), spec({})).removed).toEqual({
      'f:spec': { 'f:options': { '.': {}, 'f:mode': {} } },
    })
  })

  test('null and an empty list differ; from null to a list only the items are added', () => {
    expect(compared(undefined, spec({ containers: [] })).modified).toEqual({ 'f:spec': { 'f:containers': {} } })
    expect(compared(undefined, spec({ containers: null }))).toEqual({ added: {}, removed: {}, modified: {} })
    expect(compared(spec({ containers: [{ name: 'c' }] }), spec({ containers: null })).removed).toEqual({
      'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:name': {}, 'f:resources': {} } } },
    })
  })

  test('duplicate list items are one leaf', () => {
    const env = (...values: string[]) => spec({ containers: [{ name: 'c', env: values.map((value) => ({ name: 'X', value })) }] })
    const at = (node: object) => ({ 'f:spec': { 'f:containers': { 'k:{"name":"c"}': { 'f:env': { 'k:{"name":"X"}': node } } } } })
    const all = { '.': {}, 'f:name': {}, 'f:value': {} }
    expect(compared(env('1', '2'), env('1', '2'))).toEqual({ added: {}, removed: {}, modified: {} })
    expect(compared(env('1', '2'), env('1', '3'))).toEqual({ added: {}, removed: {}, modified: at({}) })
    expect(compared(env('1', '2'), env('1'))).toEqual({ added: at(all), removed: at({}), modified: {} })
    expect(compared(env('1'), env('1', '2'))).toEqual({ added: at({}), removed: at(all), modified: {} })
  })

  test('unknown types: objects are granular, lists are atomic, and a value may change its kind', () => {
    const free = (value: JsonObject[string]) => spec({ free: value })
    const at = (node: object) => ({ 'f:spec': { 'f:free': node } })
    expect(compared(free({ a: { b: 1 }, l: [1] }), free({ a: { b: 2, c: 1 }, l: [2] }))).toEqual({
      added: at({ 'f:a': { 'f:c': {} } }),
      removed: {},
      modified: at({ 'f:a': { 'f:b': {} }, 'f:l': {} }),
    })
    expect(compared(free({ a: 1 }), free('x'))).toEqual({ added: {}, removed: at({ 'f:a': {} }), modified: at({}) })
    expect(compared(free([1]), free({ a: 1 }))).toEqual({ added: at({ 'f:a': {} }), removed: {}, modified: at({}) })
    expect(compared(free({}), free(null)).modified).toEqual(at({}))
    expect(compared(free({ a: rawNumber('9007199254740993') }), free({ a: rawNumber('9007199254740992') })).modified).toEqual(
      at({ 'f:a': {} }),
    )
  })

  test('keys such as constructor and __proto__ are ordinary keys', () => {
    const data = JSON.parse('{"data":{"__proto__":"1","constructor":"2"}}')
    expect(Object.keys(compared({ data: {} }, data).added['f:data'] ?? {})).toEqual(['f:__proto__', 'f:constructor'])
    expect(compared(data, { data: {} }).removed['f:data']).toEqual({ 'f:__proto__': {}, 'f:constructor': {} })
    expect(compared(data, structuredClone(data)).modified).toEqual({})
  })

  test('throws for an object that does not fit the type', () => {
    expect(() => compared({}, { data: ['x'] })).toThrow(ApiError)
    expect(() => compared({}, spec({ containers: [{ name: {} }] }))).toThrow(ApiError)
    expect(() => compared({}, spec({ containers: ['x'] }))).toThrow(ApiError)
  })

  test('an object has no differences from itself', () => {
    const free = struct('Free', { free: anything })
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const object = { free: value } as JsonObject
        expect(compare(free, object, structuredClone(object))).toEqual({ added: {}, removed: {}, modified: {} })
      }),
    )
  })
})

describe('fieldSet', () => {
  test('contains leaves, list items and map keys, but not the structs above them', () => {
    const object = spec({
      options: { mode: 'x' },
      owner: { name: 'o' },
      hosts: ['b', 'a'],
      containers: [{ name: 'c', env: [{ name: 'X' }, { name: 'X' }], ports: [], resources: {} }],
      free: { a: {}, b: { c: null } },
    })
    expect(fieldSet(widget, { ...object, data: {}, metadata: { finalizers: ['z', 'a"<'] } })).toEqual({
      'f:data': {},
      'f:metadata': { 'f:finalizers': { 'v:"a\\"\\u003c"': {}, 'v:"z"': {} } },
      'f:spec': {
        'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:env': { 'k:{"name":"X"}': {} }, 'f:name': {}, 'f:resources': {} } },
        'f:free': { 'f:a': {}, 'f:b': { '.': {}, 'f:c': {} } },
        'f:hosts': {},
        'f:options': { 'f:mode': {} },
        'f:owner': {},
      },
    })
  })
})

describe('reconcile', () => {
  const shape = shapeOf(
    struct('T', { map: mapOf(string, true), list: list(string), granular: mapOf(mapOf(string, true)), free: anything }),
  )

  test('fields below an atomic value are owned as a whole', () => {
    const set = { 'f:granular': { 'f:k': { 'f:x': {} } }, 'f:list': { 'v:"a"': {} }, 'f:map': { '.': {}, 'f:a': {} } }
    expect(reconcile(shape, set)).toEqual({ 'f:granular': { 'f:k': {} }, 'f:list': {}, 'f:map': {} })
  })

  test('returns the same set if nothing changes', () => {
    const set = { 'f:free': { 'f:a': { 'f:b': {} } }, 'f:granular': { 'f:k': {} }, 'f:map': {}, 'f:unknown': { 'f:a': {} } }
    expect(reconcile(shape, set)).toBe(set)
  })
})
