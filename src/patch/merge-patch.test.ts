import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson, setKey } from '../go/json.ts'
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { mergePatch } from './merge-patch.ts'

const configMap = (): JsonObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'cm', annotations: { z: '1', b: '2' } },
  data: { c: '3', a: '1' },
})

const apply = (patch: string, lenient = false): string => JSON.stringify(mergePatch(configMap(), patch, lenient))

describe('JSON Merge Patch', () => {
  test('null removes a member, other values are set, and changed objects get sorted keys', () => {
    expect(apply('{"data":{"d":"4","c":null,"never":null}}')).toBe(
      '{"apiVersion":"v1","data":{"a":"1","d":"4"},"kind":"ConfigMap","metadata":{"name":"cm","annotations":{"z":"1","b":"2"}}}',
    )
  })

  test('an empty patch changes nothing', () => {
    expect(mergePatch(configMap(), '{}', false)).toEqual(configMap())
  })

  test('arrays are replaced; nulls are kept in arrays and dropped from new objects', () => {
    const target: JsonObject = { list: [1, 2], text: 'x', object: { a: 1 } }
    const patch = '{"list":[null,{"z":1,"a":null}],"text":{"z":null,"b":{"y":1,"a":null}},"new":{"n":null}}'
    expect(mergePatch(target, patch, false)).toEqual({
      list: [null, { z: 1 }],
      new: {},
      object: { a: 1 },
      text: { b: { y: 1 } },
    })
  })

  test('an array that replaces an object is taken unchanged', () => {
    expect(JSON.stringify(mergePatch({ o: { a: 1 } }, '{"o":[{"z":1,"a":null}]}', false))).toBe('{"o":[{"z":1,"a":null}]}')
  })

  test('numbers keep their digits', () => {
    expect(JSON.stringify(mergePatch({}, '{"a":1.0,"b":99999999999999999999,"c":1e3}', false))).toBe(
      '{"a":1.0,"b":99999999999999999999,"c":1e3}',
    )
  })

  test('__proto__ is an ordinary key', () => {
    const patched = mergePatch({ data: { a: '1' } }, '{"data":{"__proto__":{"polluted":"yes"}}}', false)
    expect(JSON.stringify(patched)).toBe('{"data":{"__proto__":{"polluted":"yes"},"a":"1"}}')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    const again = mergePatch(patched as JsonObject, '{"data":{"__proto__":{"polluted":null}}}', false)
    expect(JSON.stringify(again)).toBe('{"data":{"__proto__":{},"a":"1"}}')
  })

  test('the target is not changed', () => {
    const target = configMap()
    mergePatch(target, '{"data":{"a":null,"x":{"y":1}},"metadata":null}', false)
    expect(target).toEqual(configMap())
  })
})

describe('400 for bodies that are not a merge patch', () => {
  const cases: [text: string, lenient: boolean, message: string][] = [
    ['["a"]', false, 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['"text"', false, 'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}'],
    ['5', false, 'error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}'],
    ['null', false, 'Invalid JSON Patch'],
    ['{"data":{"a":', false, 'error decoding patch: unexpected end of JSON input'],
    ['', false, 'error decoding patch: unexpected end of JSON input'],
    ['{"a":[1e999]}', false, 'error decoding patch: json: cannot unmarshal number 1e999 into Go value of type float64'],
    ['', true, 'Invalid JSON Patch'],
    ['true', true, 'Invalid JSON Patch'],
    ['null', true, 'Invalid JSON Patch'],
  ]
  test.each(cases)('%s, lenient %s', (text, lenient, message) => {
    expect(() => apply(text, lenient)).toThrow(expect.objectContaining({ code: 400, reason: 'BadRequest', message }))
  })

  test('an array replaces the object with fieldValidation=Ignore', () => {
    expect(apply('[{"a":null,"z":1,"b":[null,{"y":null}]},null]', true)).toBe('[{"b":[null,{}],"z":1},null]')
  })

  test('a deeply nested patch is rejected', () => {
    expect(() => apply(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)).toThrow('exceeded max depth')
  })
})

/** Returns the smallest merge patch from one object to another, which must not contain nulls. */
function createMergePatch(from: JsonObject, to: JsonObject): JsonObject {
  const patch: JsonObject = {}
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) setKey(patch, key, null)
  for (const [key, value] of Object.entries(to)) {
    const before = Object.hasOwn(from, key) ? from[key] : undefined
    if (isObject(before) && isObject(value)) setKey(patch, key, createMergePatch(before, value))
    else setKey(patch, key, value)
  }
  return patch
}

const jsonObject = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, fc.string(), fc.integer(), fc.boolean(), fc.array(fc.integer()), tie('object')),
  object: fc.dictionary(fc.oneof(fc.constantFrom('a', 'b', '__proto__'), fc.string()), tie('value'), { maxKeys: 5 }),
})).object

test('the merge patch from one object to another gives the other', () => {
  fc.assert(
    fc.property(jsonObject, jsonObject, (generatedFrom, generatedTo) => {
      const from = parseJson(JSON.stringify(generatedFrom)) as JsonObject
      const to = parseJson(JSON.stringify(generatedTo)) as JsonObject
      expect(mergePatch(from, JSON.stringify(createMergePatch(from, to)), false)).toEqual(to)
    }),
  )
})
