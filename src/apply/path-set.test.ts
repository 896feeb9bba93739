import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../meta/errors.ts'
import { parseFieldsV1 } from './fields-v1.ts'
import { compareElements, sortElements } from './path-element.ts'
import type { PathSet } from './path-set.ts'
import {
  difference,
  EMPTY,
  equals,
  has,
  intersection,
  isEmpty,
  leaves,
  members,
  paths,
  recursiveDifference,
  union,
} from './path-set.ts'

const parse = (text: string): PathSet => parseFieldsV1(JSON.parse(text))
const shown = (set: PathSet): string[] => [...members(set)].map((path) => path.join(' '))

const element = fc.oneof(
  fc.constantFrom('f:a', 'f:b', 'f:__proto__', 'f:constructor', 'f:é', 'f:\u{1f600}', 'f:\uffee'),
  fc.integer({ min: 0, max: 120 }).map((port) => `k:{"port":${port},"protocol":"TCP"}`),
  fc.constantFrom('v:"x"', 'v:"x y"', 'v:10', 'v:9', 'v:true', 'i:0', 'i:10', 'i:9'),
)
const path = fc.array(element, { minLength: 1, maxLength: 4 })
const single = (of: readonly string[]): PathSet => of.reduceRight<PathSet>((below, step) => ({ [step]: below }), EMPTY)
const sets = fc.array(path, { maxLength: 12 }).map((all) => all.map(single).reduce(union, EMPTY))

describe('path sets', () => {
  test('union, intersection and difference of members', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const [x, y] = [shown(a), shown(b)]
        expect(new Set(shown(union(a, b)))).toEqual(new Set([...x, ...y]))
        expect(shown(intersection(a, b))).toEqual(x.filter((of) => y.includes(of)))
        expect(shown(difference(a, b))).toEqual(x.filter((of) => !y.includes(of)))
        expect(union(a, difference(a, b))).toBe(a)
        expect(equals(intersection(a, b), difference(a, difference(a, b)))).toBe(true)
      }),
    )
  })

  test('recursiveDifference also removes the fields below members', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const gone = [...members(b)]
        const kept = [...members(a)].filter((of) => !gone.some((prefix) => prefix.every((step, i) => of[i] === step)))
        expect(shown(recursiveDifference(a, b))).toEqual(kept.map((of) => of.join(' ')))
      }),
    )
  })

  test('a set is the same after JSON, in any order of keys', () => {
    const reversed = (set: PathSet): PathSet =>
      Object.fromEntries(
        Object.entries(set)
          .reverse()
          .map(([key, node]) => [key, reversed(node)]),
      )
    fc.assert(
      fc.property(sets, (set) => {
        expect(JSON.stringify(parse(JSON.stringify(set)))).toBe(JSON.stringify(set))
        expect(JSON.stringify(parse(JSON.stringify(reversed(set))))).toBe(JSON.stringify(set))
        expect([...members(set)].every((of) => has(set, of))).toBe(true)
      }),
    )
  })

  test('operations that change nothing return the same object', () => {
    const set = parse('{"f:a":{".":{},"f:b":{}},"f:c":{"f:d":{}}}')
    expect(difference(set, paths([['x'], ['a', 'x'], ['c']]))).toBe(set)
    expect(union(set, paths([['a'], ['c', 'd']]))).toBe(set)
  })

  test('a member and the members below it are distinct', () => {
    const set = parse('{"f:a":{".":{},"f:b":{}}}')
    expect(difference(set, paths([['a']]))).toEqual({ 'f:a': { 'f:b': {} } })
    expect(difference(set, paths([['a', 'b']]))).toEqual({ 'f:a': {} })
    expect(recursiveDifference(set, paths([['a']]))).toEqual({})
    expect(leaves(set)).toEqual({ 'f:a': { 'f:b': {} } })
    expect(has(set, ['f:a'])).toBe(true)
    expect(has(paths([['a', 'b']]), ['f:a'])).toBe(false)
    expect(has(set, [])).toBe(false)
    expect(isEmpty(EMPTY)).toBe(true)
  })
})

describe('path elements', () => {
  test('are ordered by kind, then numbers by value and texts by bytes', () => {
    const ordered = [
      'f:B',
      'f:a',
      'f:\uffee',
      'f:\u{1f600}',
      'k:{"a":"x"}',
      'k:{"name":"a"}',
      'k:{"name":"a b"}',
      'k:{"name":"b"}',
      'k:{"port":9}',
      'k:{"port":80}',
      'k:{"port":80,"protocol":"TCP"}',
      'v:9',
      'v:10',
      'v:"a"',
      'v:true',
      'i:9',
      'i:10',
    ]
    expect(sortElements([...ordered].reverse())).toEqual(ordered)
    expect(compareElements('v:1', 'v:1')).toBe(0)
  })

  test('are canonical as in Go', () => {
    expect(parse('{"k:{ \\"b\\" : 1, \\"a\\":\\"<\\"}":{}}')).toEqual({ 'k:{"a":"\\u003c","b":1}': {} })
    expect(parse('{"i:07":{},"v:1.50":{},"f:":{}}')).toEqual({ 'f:': {}, 'v:1.5': {}, 'i:7': {} })
    expect(parse('{"k:{\\"a\\": 1}":{"f:x":{}},"k:{\\"a\\":1}":{".":1,"f:y":{}}}')).toEqual({
      'k:{"a":1}': { '.': {}, 'f:x': {}, 'f:y': {} },
    })
  })
})

describe('fieldsV1 from clients', () => {
  test('unknown kinds of path elements are dropped, null is a member', () => {
    expect(parse('{".":{},"x:y":{"f:a":{}},"f:a":null,"f:b":{"x:y":{}},"f:c":{".":{}}}')).toEqual({
      'f:a': {},
      'f:b': {},
      'f:c': {},
    })
  })

  test.each([
    '[]',
    '1',
    '"x"',
    '{"a":{}}',
    '{"":{}}',
    '{"f:a":1}',
    '{"f:a":{"__proto__":{}}}',
    '{"v:{":{}}',
    '{"k:1":{}}',
    '{"i:x":{}}',
  ])('%s is rejected', (text) => {
    expect(() => parse(text)).toThrow(ApiError)
  })

  test('the depth is bounded', () => {
    expect(() => parse(`${'{"f:a":'.repeat(100_000)}{}${'}'.repeat(100_000)}`)).toThrow(ApiError)
  })

  test('throws no other error than ApiError', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, key) => {
        try {
          parseFieldsV1({ [key]: value as never })
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError)
        }
      }),
    )
  })
})
