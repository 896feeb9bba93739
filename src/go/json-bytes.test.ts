import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endOfValue, textOf, withShortened } from './json-bytes.ts'
import type { JsonObject, JsonValue } from './json-value.ts'

const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
const longest = 4

/** Returns the value with its long strings emptied, by a simple algorithm. */
function emptied(value: JsonValue): JsonValue {
  if (typeof value === 'string') return JSON.stringify(value).length - 1 > longest ? '' : value
  if (Array.isArray(value)) return value.map(emptied)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, emptied(inner)]))
}

describe('JSON as bytes', () => {
  test('endOfValue finds the end of every value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (first, second) => {
        const list = bytesOf([first, second])
        const end = endOfValue(list, 1)
        expect(textOf(list, 1, end)).toBe(JSON.stringify(first))
        expect(textOf(list, end + 1, endOfValue(list, end + 1))).toBe(JSON.stringify(second))
      }),
    )
  })

  test('withShortened empties the long strings of the named members only', () => {
    const characters = fc.array(fc.constantFrom('"', '\\', 'a', 'ß', ':', '{', ']'), { maxLength: 9 }).map((all) => all.join(''))
    const value = fc.letrec((of) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        characters,
        fc.integer(),
        fc.array(of('value')),
        fc.dictionary(characters, of('value')),
      ),
    })).value as fc.Arbitrary<JsonValue>
    fc.assert(
      fc.property(value, value, (data, spec) => {
        const object: JsonObject = { metadata: { name: 'a long enough name' }, data, spec }
        // Keys and other characters than ASCII count in bytes, so only ASCII is compared.
        fc.pre(!JSON.stringify(object).includes('ß'))
        expect(JSON.parse(withShortened(bytesOf(object), new Set(['data']), longest))).toEqual({ ...object, data: emptied(data) })
      }),
    )
  })

  test('strings are measured in bytes, and keys are kept', () => {
    const object = { data: { 'a key that is long': 'ßß', b: 'ßßß', c: '\\"\\"' }, other: 'a long text' }
    expect(withShortened(bytesOf(object), new Set(['data']), 5)).toBe(
      '{"data":{"a key that is long":"ßß","b":"","c":""},"other":"a long text"}',
    )
  })
})
