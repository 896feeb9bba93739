import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rawNumber } from '../go/json.ts'
import type { JsonValue } from '../go/json-value.ts'
import { readYaml } from './parse.ts'
import { renderYaml } from './write.ts'

describe('renderYaml', () => {
  test('a discovery document', () => {
    const group = {
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'apps',
      versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
      preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
    }
    expect(renderYaml(group)).toBe(
      'apiVersion: v1\nkind: APIGroup\nname: apps\npreferredVersion:\n  groupVersion: apps/v1\n  version: v1\nversions:\n- groupVersion: apps/v1\n  version: v1\n',
    )
  })

  test('a Status with a message of several lines and a folded one', () => {
    expect(renderYaml({ message: '406: Not Acceptable\n\nAvailable representations: application/json', details: {} })).toBe(
      'details: {}\nmessage: |-\n  406: Not Acceptable\n\n  Available representations: application/json\n',
    )
    const message =
      'only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch'
    expect(renderYaml({ message })).toBe(
      "message: 'only the following media types are accepted: application/json;stream=watch,\n  application/vnd.kubernetes.protobuf;stream=watch'\n",
    )
  })

  test.each([
    ['', '""'],
    ['yes', '"yes"'],
    ['n', '"n"'],
    ['null', '"null"'],
    ['1e3', '"1e3"'],
    ['1_000', '"1_000"'],
    ['0x1F', '"0x1F"'],
    ['08', '"08"'],
    ['12:30:45', '"12:30:45"'],
    ['2001-01-01', '"2001-01-01"'],
    ['2026-11-21T03:27:09Z', '"2026-11-21T03:27:09Z"'],
    ['2001-02-30', '2001-02-30'],
    ['1e999', '1e999'],
    ['<<', '<<'],
    ['EVWiDmWqyJw=', 'EVWiDmWqyJw='],
    ['a: b', "'a: b'"],
    ['a:b', 'a:b'],
    ['- a', "'- a'"],
    ['-a', '-a'],
    ["it's", "it's"],
    ["'a", "'''a'"],
    ['#a', "'#a'"],
    ['a #b', "'a #b'"],
    [' a', "' a'"],
    ['a\tb', '"a\\tb"'],
    ['😀', '"\\U0001F600"'],
    ['é', 'é'],
    ['a\n', '|\n  a'],
    ['a\n\n', '|+\n  a\n'],
    [' a\nb', '|2-\n   a\n  b'],
    ['a \nb', '"a \\nb"'],
  ])('the text %j', (text, expected) => {
    expect(renderYaml({ k: text })).toBe(`k: ${expected}\n`)
  })

  test.each([
    [rawNumber('9223372036854775807'), '9223372036854775807'],
    [rawNumber('99999999999999999999'), '1e+20'],
    [1e21, '1e+21'],
    [1e-7, '1e-07'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [123456.5, '123456.5'],
    [1234567.5, '1.2345675e+06'],
    [100000000000, '100000000000'],
  ])('the number %j', (number, expected) => {
    expect(renderYaml({ k: number })).toBe(`k: ${expected}\n`)
  })

  test('keys are in natural order; long keys are on a line of their own', () => {
    const long = 'x'.repeat(129)
    expect(renderYaml({ a10: 1, a2: 2, A: 3, _x: 4, '1': 5, [long]: [1] })).toBe(
      `_x: 4\n"1": 5\nA: 3\na2: 2\na10: 1\n? ${long}\n: - 1\n`,
    )
  })

  test('nested lists and maps', () => {
    expect(renderYaml({ l: [[1, [2]], { a: {}, b: [{ c: [] }] }], m: { p: { o: null } } })).toBe(
      'l:\n- - 1\n  - - 2\n- a: {}\n  b:\n  - c: []\nm:\n  p:\n    o: null\n',
    )
  })

  test('readYaml reads back every value', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.constantFrom('a', ' ', ':', '#', '-', '\n', "'", '"', '?', '0', '\\', 'word ')).map((parts) => parts.join('')),
    )
    const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }))
    fc.assert(
      fc.property(value, (written) => {
        fc.pre(!JSON.stringify(written).includes('__proto__'))
        expect(JSON.parse(readYaml(renderYaml({ written })).json)).toEqual({ written })
      }),
      { numRuns: 300 },
    )
  })
})
