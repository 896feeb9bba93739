import { expect, test } from 'vitest'
import { strictErrors } from './strict.ts'
import { Thing } from './tables.fixture.ts'

test('unknown and duplicate fields are reported in the order of the text, each once', () => {
  const text = `{"kind":"a","foo":1,"kind":"b","foo":2,"data":{"x":"1","x":"2","x":"3"},
    "containers":[{"name":"a"},{"bar":{"a":1,"a":2},"name":"a","name":"b"}],"byName":{"k":{"z":1}}}`
  expect(strictErrors(Thing, text)).toEqual([
    'unknown field "foo"',
    'duplicate field "kind"',
    'duplicate field "data.x"',
    'unknown field "containers[1].bar"',
    'duplicate field "containers[1].name"',
    'unknown field "byName.k.z"',
  ])
})

test('fields below a type with its own UnmarshalJSON are not checked', () => {
  expect(strictErrors(Thing, '{"raw":{"a":1,"a":2},"not":{"raw":{"b":[{"c":1,"c":2}]}}}')).toEqual([])
})

test('paths are quoted as in Go, and at most 100 errors are reported', () => {
  expect(strictErrors(Thing, '{"a\\"b\\n":1}')).toEqual(['unknown field "a\\"b\\n"'])
  const fields = Array.from({ length: 300 }, (_, i) => `"f${i}":1`)
  expect(strictErrors(Thing, `{${fields.join()}}`)).toHaveLength(100)
})
