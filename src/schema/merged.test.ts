import { expect, test } from 'vitest'
import { parseJson, stringify } from '../go/json.ts'
import { decode } from './decode.ts'
import { parseMerged } from './merged.ts'
import { Thing } from './tables.fixture.ts'

const decoded = (text: string): string => stringify(decode(Thing, parseMerged(text, Thing)).object)

test.each([
  ['duplicate map field: entries are merged', '{"data":{"a":"1","b":"2"},"data":{"b":"3"}}', '{"data":{"a":"1","b":"3"}}'],
  [
    'duplicate struct field: fields are merged',
    '{"metadata":{"name":"a"},"metadata":{"uid":"b"}}',
    '{"metadata":{"name":"a","uid":"b"}}',
  ],
  ['duplicate string: the last is used', '{"kind":"1","kind":"2"}', '{"kind":"2"}'],
  [
    'a later null keeps strings, numbers and structs',
    '{"kind":"1","kind":null,"metadata":{"name":"a"},"metadata":null}',
    '{"kind":"1","metadata":{"name":"a"}}',
  ],
  ['a later null clears maps and lists', '{"data":{"a":"1"},"data":null,"containers":[{"name":"a"}],"containers":null}', '{}'],
  [
    'duplicate list: elements are decoded into the previous ones',
    '{"containers":[{"name":"a","ports":[{"host":"h","port":1}]},{"name":"b"}],"containers":[{"ports":[{"port":2}]}]}',
    '{"containers":[{"name":"a","ports":[{"port":2,"host":"h"}]}]}',
  ],
])('%s', (_what, text, expected) => {
  expect(decoded(text)).toBe(stringify(decode(Thing, parseJson(expected)).object))
})

test('a value with the wrong shape is an error, even if a right one follows for the same key', () => {
  expect(() => decoded('{"data":"x","data":{"a":"1"}}')).toThrow('cannot unmarshal string into Go struct field')
})

test.each([
  ['a value of a map', '{"data":{"a":1,"a":"2"}}', 'cannot unmarshal number into Go struct field Thing.data of type string'],
  [
    'a pointer',
    '{"immutable":"x","immutable":null}',
    'cannot unmarshal string into Go struct field Thing.immutable of type bool',
  ],
  [
    'a dropped element',
    '{"containers":[{"name":"a"},{"name":1}],"containers":[{"name":"b"}]}',
    'Container.containers.name of type string',
  ],
  [
    'a field of an element',
    '{"containers":[{"resources":{"cpu":"z"}}],"containers":[{"resources":{"cpu":"1"}}]}',
    'quantities must',
  ],
  ['a container before null', '{"binaryData":{"a":"!"},"binaryData":null}', 'illegal base64 data'],
])('a replaced value that cannot be decoded is an error: %s', (_what, text, message) => {
  expect(() => decoded(text)).toThrow(message)
})

test('values that cannot be decoded are checked once, however often they are replaced', () => {
  const long = 'x'.repeat(1_000_000)
  const texts = [
    `{"binaryData":{"a":"${long}!"${',"a":""'.repeat(100_000)}}}`,
    `{"containers":[${'0,'.repeat(300_000)}0]${',"containers":[]'.repeat(100_000)}}`,
  ]
  for (const text of texts) expect(() => decoded(text)).toThrow()
})

test('__proto__ is an ordinary key, and texts may contain quotes and brackets', () => {
  const text = '{ "data" : {"__proto__":"}\\"],","b\\"" : "[" } ,"data":{"__proto__":"y"}}'
  expect(stringify(parseMerged(text, Thing))).toBe('{"data":{"__proto__":"y","b\\"":"["}}')
})
