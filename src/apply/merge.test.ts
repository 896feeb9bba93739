import { describe, expect, test } from 'vitest'
import { merge } from './merge.ts'
import { field, list, string, struct, widget } from './types.fixture.ts'

const named = struct('Named', { name: field(string, { omitempty: false }), value: string })
const lists = struct('Lists', { set: list(string, 'set'), map: list(named, 'map', ['name']), whole: list(string) })

describe('the order of merged list items', () => {
  test.each([
    ['', 'abc', 'abc'],
    ['abc', '', 'abc'],
    ['abc', 'cba', 'cba'],
    ['abc', 'xb', 'axbc'],
    ['abc', 'cx', 'abcx'],
    ['abcd', 'dxb', 'acdxb'],
    ['abcd', 'xyz', 'abcdxyz'],
    ['abcde', 'eb', 'acdeb'],
    ['abc', 'xay', 'xabcy'],
    ['axb', 'ba', 'xba'],
    ['abc', 'bxa', 'bcxa'],
    ['abcdef', 'fxbyd', 'acefxbyd'],
  ])('%j merged with %j is %j', (live, applied, merged) => {
    const items = (text: string) => [...text].map((name) => ({ name }))
    expect(merge(lists, { map: items(live) }, { map: items(applied) })).toEqual({ map: items(merged) })
    expect(merge(lists, { set: [...live] }, { set: [...applied] })).toEqual({ set: [...merged] })
  })

  test('an atomic list is replaced', () => {
    expect(merge(lists, { whole: ['a', 'b'] }, { whole: ['c'] })).toEqual({ whole: ['c'] })
  })

  test('an applied item replaces its duplicates; other duplicates stay', () => {
    const live = { map: [{ name: 'a', value: '1' }, { name: 'b' }, { name: 'a' }, { name: 'b' }] }
    expect(merge(lists, live, { map: [{ name: 'a' }] })).toEqual({ map: [{ name: 'a' }, { name: 'b' }, { name: 'b' }] })
  })
})

test('list items are matched by their keys, absent keys by their defaults', () => {
  const live = { spec: { containers: [{ name: 'c', ports: [{ port: 80, protocol: 'TCP', name: 'p' }] }] } }
  const applied = { spec: { containers: [{ name: 'c', ports: [{ port: 80 }, { port: 80, protocol: 'UDP' }] }] } }
  expect(merge(widget, live, applied)).toEqual({
    spec: {
      containers: [
        {
          name: 'c',
          ports: [
            { port: 80, protocol: 'TCP', name: 'p' },
            { port: 80, protocol: 'UDP' },
          ],
        },
      ],
    },
  })
})

test('returns the live object itself if nothing changes', () => {
  const live = { data: { a: '1' }, spec: { containers: [{ name: 'c', image: 'i' }], selector: { a: '1' } } }
  expect(merge(widget, live, { data: { a: '1' }, spec: { containers: [{ name: 'c' }], selector: { a: '1' } } })).toBe(live)
  expect(merge(widget, live, { data: null, spec: { containers: [] } })).toBe(live)
})

test('`__proto__` is an ordinary key', () => {
  const applied = JSON.parse('{"data":{"__proto__":"2","constructor":"3"}}')
  const merged = merge(widget, { data: { a: '1' } }, applied)
  expect(JSON.stringify(merged)).toBe('{"data":{"a":"1","__proto__":"2","constructor":"3"}}')
})
