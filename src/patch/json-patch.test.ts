import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson } from '../go/json.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { jsonPatch, jsonPatchStrictErrors } from './json-patch.ts'

const target = (): JsonObject => ({
  kind: 'Any',
  apiVersion: 'v1',
  spec: { text: 'x', list: ['a', 'b'], nested: { z: 1, b: [{ n: 1 }] }, 'a/b': 1, 'c~d': 2, none: null },
})

const patched = (patch: string): JsonValue => jsonPatch(target(), patch)

/** Returns the result at `spec`, as JSON. */
const spec = (patch: string): string => JSON.stringify((patched(patch) as { spec: JsonValue }).spec)

const refusal = {
  code: 422,
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
  details: {},
}

describe('JSON Patch operations', () => {
  const after = (member: string): string =>
    `{"a/b":1,"c~d":2,"list":["a","b"],"nested":{"z":1,"b":[{"n":1}]},"none":null,"text":"x"}`.replace(
      ...(member.split(' => ') as [string, string]),
    )
  const cases: [patch: string, change: string][] = [
    ['[{"op":"add","path":"/spec/text","value":"y"}]', '"text":"x" => "text":"y"'],
    ['[{"op":"add","path":"/spec/list/0","value":"n"}]', '["a", => ["n","a",'],
    ['[{"op":"add","path":"/spec/list/2","value":"n"}]', '"b"] => "b","n"]'],
    ['[{"op":"add","path":"/spec/list/-","value":"n"}]', '"b"] => "b","n"]'],
    ['[{"op":"add","path":"/spec/list/-1","value":"n"}]', '"b"] => "b","n"]'],
    ['[{"op":"add","path":"/spec/list/+1","value":"n"}]', '["a", => ["a","n",'],
    ['[{"op":"add","path":"/spec/list/-3","value":"n"}]', '["a", => ["n","a",'],
    ['[{"op":"add","path":"/spec/added"}]', '{"a/b":1 => {"a/b":1,"added":null'],
    ['[{"op":"add","path":"anything/spec/text","value":"y"}]', '"text":"x" => "text":"y"'],
    ['[{"op":"remove","path":"/spec/list/-1"}]', ',"b"] => ]'],
    ['[{"op":"remove","path":"/spec/a~1b"}]', '"a/b":1, => '],
    ['[{"op":"remove","path":"/spec/c~0d"}]', '"c~d":2, => '],
    ['[{"op":"replace","path":"/spec/list/-2","value":5}]', '["a" => [5'],
    ['[{"op":"replace","path":"/spec/absent","value":5}]', '{"a/b":1 => {"a/b":1,"absent":5'],
    ['[{"op":"move","from":"/spec/list/0","path":"/spec/list/1"}]', '"a","b" => "b","a"'],
    ['[{"op":"copy","from":"/spec/absent","path":"/spec/added"}]', '{"a/b":1 => {"a/b":1,"added":null'],
    ['[{"op":"add","path":"/spec/__proto__","value":{"n":1}}]', '{"a/b" => {"__proto__":{"n":1},"a/b"'],
    ['[{"op":"add","path":"/spec/nested/b/0/n","value":2}]', '{"z":1,"b":[{"n":1}]} => {"b":[{"n":2}],"z":1}'],
    ['[{"op":"add","path":"/spec/nested/b/0/a","value":2}]', '{"z":1,"b":[{"n":1}]} => {"b":[{"a":2,"n":1}],"z":1}'],
    ['[{"op":"test","path":"/spec/nested","value":{"b":[{"n":1}],"z":1}}]', '{"z":1,"b":[{"n":1}]} => {"b":[{"n":1}],"z":1}'],
  ]
  test.each(cases)('%s', (patch, change) => {
    expect(spec(patch)).toBe(after(change))
  })

  test('a copy is independent of its source', () => {
    const patch = '[{"op":"copy","from":"/spec/nested","path":"/spec/copy"},{"op":"add","path":"/spec/copy/b/0/n","value":9}]'
    const { spec } = patched(patch) as { spec: Record<string, unknown> }
    expect(spec.nested).toEqual({ z: 1, b: [{ n: 1 }] })
    expect(spec.copy).toEqual({ z: 1, b: [{ n: 9 }] })
  })

  test('replace and test of the whole document', () => {
    expect(
      patched(
        '[{"op":"replace","path":"","value":["x"]},{"op":"add","path":"/-","value":1},{"op":"test","path":"","value":["x",1]}]',
      ),
    ).toEqual(['x', 1])
  })

  test('neither the target nor the patch is changed', () => {
    const before = target()
    jsonPatch(
      before,
      '[{"op":"add","path":"/spec/nested/b/0/n","value":2},{"op":"remove","path":"/spec/list/0"},{"op":"move","from":"/spec/nested","path":"/n"}]',
    )
    expect(before).toEqual(target())
  })

  test('null and an empty patch change nothing', () => {
    expect(patched('[]')).toEqual(target())
    expect(patched('null')).toEqual(target())
  })
})

describe('JSON Patch test operation', () => {
  const holds: string[] = [
    '"/spec/list","value":["a","b"]',
    '"/spec/none","value":null',
    '"/spec/none"',
    '"/spec/absent","value":null',
    '"/spec/list/-1","value":"b"',
  ]
  test.each(holds)('succeeds: %s', (rest) => {
    expect(patched(`[{"op":"test","path":${rest}}]`)).toEqual(target())
  })

  const fails: string[] = [
    '"/spec/text","value":"y"',
    '"/spec/text"',
    '"/spec/nested/z","value":1.0',
    '"/spec/list","value":["a"]',
    '"/spec/list","value":{"0":"a","1":"b"}',
    '"/spec/nested","value":{"z":1}',
    '"","value":{}',
    '"/spec/list/2","value":null',
    '"/spec/list/x","value":null',
    '"/absent/x","value":null',
  ]
  test.each(fails)('422 when a test fails: %s', (rest) => {
    expect(() => patched(`[{"op":"test","path":${rest}}]`)).toThrow(expect.objectContaining(refusal))
  })
})

describe('422 for operations that cannot be applied', () => {
  const operations: string[] = [
    '{"op":"bogus","path":"/spec"}',
    '{"path":"/spec"}',
    '{"op":"toString","path":"/spec"}',
    'null',
    '{"op":"add","value":1}',
    '{"op":"add","path":"","value":{}}',
    '{"op":"add","path":"/absent/x","value":1}',
    '{"op":"add","path":"/spec/text/x","value":1}',
    '{"op":"add","path":"/spec/none/x","value":1}',
    '{"op":"add","path":"/constructor/x","value":1}',
    '{"op":"add","path":"/__proto__/x","value":1}',
    '{"op":"add","path":"/spec/list/3","value":1}',
    '{"op":"add","path":"/spec/list/-4","value":1}',
    '{"op":"add","path":"/spec/list/1.0","value":1}',
    '{"op":"add","path":"/spec/list/99999999999999999999","value":1}',
    '{"op":"remove","path":"/spec/absent"}',
    '{"op":"remove","path":"/toString"}',
    '{"op":"remove","path":"/spec/list/2"}',
    '{"op":"remove","path":"/spec/list/-"}',
    '{"op":"replace","path":"/spec/list/-","value":1}',
    '{"op":"replace","path":"/spec/list/2","value":1}',
    '{"op":"replace","path":"","value":5}',
    '{"op":"replace","path":"","value":null}',
    '{"op":"move","path":"/spec/x"}',
    '{"op":"move","from":"/spec/absent","path":"/spec/x"}',
    '{"op":"move","from":"/spec","path":"/spec/x"}',
    '{"op":"copy","from":"/spec/list/2","path":"/spec/x"}',
    '{"op":"copy","from":"/spec/text","path":"/absent/x"}',
  ]
  test.each(operations)('%s', (operation) => {
    expect(() => patched(`[${operation}]`)).toThrow(expect.objectContaining(refusal))
  })
})

describe('400 for bodies that are not a JSON Patch', () => {
  const prefix = 'error decoding patch: json: cannot unmarshal'
  const cases: [text: string, lenient: boolean, message: string][] = [
    ['{}', false, `${prefix} object into Go value of type []handlers.jsonPatchOp`],
    ['{}', true, 'json: cannot unmarshal object into Go value of type jsonpatch.Patch'],
    ['[5]', false, `${prefix} number into Go value of type handlers.jsonPatchOp`],
    ['["x"]', true, 'json: cannot unmarshal string into Go value of type jsonpatch.Operation'],
    ['[{"op":5}]', false, `${prefix} number into Go struct field jsonPatchOp.op of type string`],
    ['[{"op":"add","path":[]}]', false, `${prefix} array into Go struct field jsonPatchOp.path of type string`],
    [
      '[{"op":"add","path":"/a","value":[1e999]}]',
      false,
      `${prefix} number 1e999 into Go struct field jsonPatchOp.value of type float64`,
    ],
    ['[{"op":', false, 'error decoding patch: unexpected end of JSON input'],
    ['', true, 'unexpected end of JSON input'],
    ['[{"op":"replace","path":""}]', false, 'operation missing value field: missing value'],
  ]
  test.each(cases)('%s, lenient %s', (text, lenient, message) => {
    expect(() => jsonPatch(target(), text, lenient)).toThrow(
      expect.objectContaining({ code: 400, reason: 'BadRequest', message }),
    )
  })

  test('unknown and duplicate fields of operations are reported', () => {
    const patch =
      '[{"op":"remove","by":{"x":1,"x":1},"op":"remove","path":"/spec"},{"op":"test","path":"","value":{"a":1,"a":1},"comment":"x"}]'
    expect(jsonPatchStrictErrors(patch)).toEqual([
      'json patch unknown field "[0].by"',
      'json patch duplicate field "[0].op"',
      'json patch duplicate field "[1].value.a"',
      'json patch unknown field "[1].comment"',
    ])
  })
})

describe('bounds of a JSON Patch', () => {
  const operations = (count: number): string => `[${Array(count).fill('{"op":"test","path":"/kind","value":"Any"}').join()}]`

  test('413 for more than 10,000 operations', () => {
    expect(patched(operations(10_000))).toEqual(target())
    expect(() => patched(operations(10_001))).toThrow(
      expect.objectContaining({
        code: 413,
        message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
      }),
    )
  })

  test('422 for more than 3 MiB of copies', () => {
    const big = { text: 'x'.repeat(1024 * 1024 - 2) }
    const copies = (count: number): string =>
      JSON.stringify(Array.from({ length: count }, (_, index) => ({ op: 'copy', from: '/text', path: `/copy${index}` })))
    expect(Object.keys(jsonPatch(big, copies(3)) as JsonObject)).toHaveLength(4)
    expect(() => jsonPatch(big, copies(4))).toThrow(expect.objectContaining(refusal))
    const escaped = { text: '<'.repeat(1024 * 1024) }
    expect(() => jsonPatch(escaped, copies(1))).toThrow(expect.objectContaining(refusal))
  })

  test('repeated copies of a growing value are bounded', () => {
    const doubling = Array.from({ length: 40 }, (_, index) => ({ op: 'copy', from: '/spec', path: `/spec/c${index}` }))
    expect(() => patched(JSON.stringify(doubling))).toThrow(expect.objectContaining(refusal))
  })

  test('repeated insertions into long arrays are bounded', () => {
    const long = { list: Array(200_000).fill(0) }
    const inserts = JSON.stringify(Array(6000).fill({ op: 'add', path: '/list/5', value: 1 }))
    expect(() => jsonPatch(long, inserts)).toThrow(expect.objectContaining(refusal))
  })

  test('operations cannot nest a document deeper than the maximum depth', () => {
    const deep = `${'{"a":'.repeat(900)}{}${'}'.repeat(900)}`
    const path = '/a'.repeat(900)
    const nest = (index: number): string =>
      `{"op":"add","path":"/d${index}","value":${deep}},{"op":"move","from":"/d${index - 1}","path":"/d${index}${path}/x"}`
    const patch = (count: number): string =>
      `[{"op":"add","path":"/d0","value":{}},${Array.from({ length: count }, (_, index) => nest(index + 1)).join()}]`
    expect(() => patched(patch(1))).not.toThrow()
    expect(() => patched(patch(200))).toThrow(expect.objectContaining(refusal))
    expect(() => patched(`${patch(200).slice(0, -1)},{"op":"copy","from":"/d200","path":"/e"}]`)).toThrow(
      expect.objectContaining(refusal),
    )
  })
})

describe('JSON Patch properties', () => {
  const value = fc.jsonValue({ maxDepth: 4 }).map((generated) => parseJson(JSON.stringify(generated), 'verbatim'))
  const key = fc.oneof(fc.constantFrom('a/b', '~', '~1', '__proto__', ''), fc.string())
  const pointer = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

  test('a test of an added value succeeds', () => {
    fc.assert(
      fc.property(key, value, (name, added) => {
        const path = pointer(name)
        const patch = [
          { op: 'add', path, value: added },
          { op: 'test', path, value: added },
        ]
        const result = jsonPatch({ other: 1 }, JSON.stringify(patch)) as JsonObject
        expect(Object.hasOwn(result, name)).toBe(true)
        expect(result[name]).toEqual(added)
      }),
    )
  })

  test('add and remove restore the document', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), value), key, value, (object, name, added) => {
        fc.pre(!Object.hasOwn(object, name))
        const path = pointer(name)
        const patch = [
          { op: 'add', path, value: added },
          { op: 'remove', path },
        ]
        expect(jsonPatch(object, JSON.stringify(patch))).toEqual(object)
      }),
    )
  })
})
