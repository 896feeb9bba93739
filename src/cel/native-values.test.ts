import { expect, test } from 'vitest'
import { isWholeDouble } from '../go/json.ts'
import { AdmissionCompiler } from './admission.ts'
import { jsonOf, NativeError, nativeObject, typeNameErrors } from './native-values.ts'
import { PatchObject } from './patch-objects.ts'
import { ANY } from './types.ts'
import type { Value } from './value.ts'

/** Evaluates a constant expression of a mutation. */
function evaluated(text: string): Value {
  const compiled = new AdmissionCompiler('none').compile(text, ['patches'], [ANY])
  if (compiled.kind !== 'program') throw new Error(compiled.text)
  return compiled.program.evaluate({}, 1_000_000).value
}

function objectOf(text: string): PatchObject {
  const value = evaluated(text)
  if (!(value instanceof PatchObject)) throw new Error(text)
  return value
}

test('Object{…} of an apply configuration becomes JSON, with integers, whole doubles, maps, lists and optional fields', () => {
  const { object, values } = nativeObject(
    objectOf('Object{a: 1, b: 2.0, c: {"k": "v"}, d: [Object.d{x: true}], ?e: optional.of("y"), ?f: optional.none()}'),
  )
  expect(values.size).toBe(0)
  expect(isWholeDouble(object.b)).toBe(true)
  expect(JSON.parse(JSON.stringify(object))).toEqual({ a: 1, b: 2, c: { k: 'v' }, d: [{ x: true }], e: 'y' })
})

test('Object{…}: a map with other keys than strings is an error', () => {
  expect(() => nativeObject(objectOf('Object{a: {1: "x"}}'))).toThrow(new NativeError('invalid return type: *dynamic.ObjectVal'))
})

test('Object{…}: bytes, times, null and maps within maps are Go values, as messages show them', () => {
  const { object, values } = nativeObject(
    objectOf('Object{a: b"hi", b: timestamp("2020-01-01T00:00:00Z"), c: duration("1h"), d: null, e: {"x": {"y": "z"}}}'),
  )
  const inner = (object.e as { readonly x: string }).x
  const shown = [object.a, object.b, object.c, object.d, inner].map((placeholder) => values.get(placeholder ?? null))
  expect(shown.map((value) => [value?.type, value?.printed])).toEqual([
    ['[]uint8', '[104 105]'],
    ['time.Time', '2020-01-01 00:00:00 +0000 UTC'],
    ['time.Duration', '1h0m0s'],
    ['structpb.NullValue', 'NULL_VALUE'],
    ['map[ref.Val]ref.Val', 'map[y:z]'],
  ])
})

test('values of JSONPatch{…} become JSON as protobuf writes it', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['9007199254740993', '9007199254740993'],
    ['5u', 5],
    ['b"abc"', 'YWJj'],
    ['duration("90s")', '90s'],
    ['timestamp("2020-01-01T00:00:00Z")', '2020-01-01T00:00:00Z'],
    ['{"a": [2.5, 1e3]}', { a: [2.5, 1000] }],
    ['Object.x{a: b"abc", b: 3u}', { a: 'YWJj', b: 3 }],
  ]
  for (const [text, json] of cases) expect(jsonOf(evaluated(text)), text).toEqual(json)
})

test('values of JSONPatch{…} without a JSON form are errors with kube-apiserver’s texts', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['type(1)', "type conversion not supported for 'type'"],
    ['{1: "x"}', "unsupported type conversion from 'int' to string"],
    ['quantity("1Gi")', "type conversion error from 'Quantity' to '*structpb.Value'"],
    ['Object.x{a: duration("1s")}', 'proto: invalid type: time.Duration'],
  ]
  for (const [text, message] of cases) expect(() => jsonOf(evaluated(text)), text).toThrow(new NativeError(message))
})

test('type names of nested Object{…} must follow the path of their fields, also in lists and maps', () => {
  expect(typeNameErrors(objectOf('Object{spec: Object.spec{items: [Object.spec.items{a: 1}]}}'))).toBeUndefined()
  const wrong = objectOf('Object{spec: Object.spec{items: [Object.spec.item{a: 1}], m: {"k": Object.x{}}}}')
  expect(typeNameErrors(wrong)?.split('\n')).toEqual([
    'unexpected type name "Object.spec.item", expected "Object.spec.items", which matches field name path from root Object type',
    'unexpected type name "Object.x", expected "Object.spec.m", which matches field name path from root Object type',
  ])
})
