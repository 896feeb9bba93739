import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../go/json-value.ts'
import { Reader } from '../../protobuf/wire.ts'
import { encodeDocument } from './protobuf.ts'
import { document2Message } from './version2-messages.ts'

/** The message structure of bytes: numbers of the fields that are messages. */
interface Shape {
  readonly [number: number]: Shape
}
type Read = (readonly [number, string | number | Read])[]

function read(bytes: Uint8Array, shape: Shape): Read {
  const reader = new Reader(bytes)
  const found: Read = []
  while (reader.position < reader.end) {
    const number = reader.readTag('Document')
    const inner = shape[number]
    if (inner !== undefined) found.push([number, read(reader.readBytes(), inner)])
    else if (reader.wireType === 0) {
      reader.readVarint()
      found.push([number, reader.low])
    } else found.push([number, reader.wireType === 1 ? reader.readDouble() : reader.readText()])
  }
  return found
}

/** Returns the value of the last field at a depth of nested messages. */
function inside(of: Read, depth: number): Read[number][1] {
  const last = of.at(-1)?.[1] ?? ''
  return depth === 0 || !Array.isArray(last) ? last : inside(last, depth - 1)
}

const encoded = (value: JsonObject, shape: Shape = {}): Read => read(encodeDocument(value, document2Message), shape)

describe('an OpenAPI document in protobuf', () => {
  test('has its fields in the order of their numbers', () => {
    const document = { info: { version: 'b', title: 'a' }, swagger: '2.0' }
    expect(encoded(document, { 2: {} })).toEqual([
      [1, '2.0'],
      [
        2,
        [
          [1, 'a'],
          [2, 'b'],
        ],
      ],
    ])
  })

  test('omits unknown and empty fields', () => {
    expect(encoded({ swagger: '', unknown: 'x', info: { title: '' } }, { 2: {} })).toEqual([[2, []]])
  })

  test('has x- extensions as YAML', () => {
    const definitions = { A: { 'x-kind': [{ group: '', kind: 'A' }] } }
    const shape = { 9: { 1: { 2: { 31: { 2: {} } } } } }
    const extension = [
      [1, 'x-kind'],
      [2, [[2, '- group: ""\n  kind: A\n']]],
    ]
    expect(encoded({ definitions }, shape)).toEqual([
      [
        9,
        [
          [
            1,
            [
              [1, 'A'],
              [2, [[31, extension]]],
            ],
          ],
        ],
      ],
    ])
  })

  test('distinguishes $ref, body, query and path parameters', () => {
    const parameters = [
      { $ref: '#/parameters/a' },
      { name: 'body', in: 'body', required: true },
      { name: 'limit', in: 'query', type: 'integer', uniqueItems: true },
      { name: 'name', in: 'path', type: 'string', uniqueItems: true, required: true },
    ]
    const shape = { 8: { 2: { 2: { 9: { 1: { 1: {}, 2: { 3: {}, 4: {} } }, 2: {} } } } } }
    expect(inside(encoded({ paths: { '/a': { parameters } } }, shape), 2)).toEqual([
      [9, [[2, [[1, '#/parameters/a']]]]],
      [
        9,
        [
          [
            1,
            [
              [
                1,
                [
                  [2, 'body'],
                  [3, 'body'],
                  [4, 1],
                ],
              ],
            ],
          ],
        ],
      ],
      [9, [[1, [[2, [[3, query]]]]]]],
      [9, [[1, [[2, [[4, path]]]]]]],
    ])
  })

  test('has the numbers of a schema', () => {
    const A = { maximum: 0.5, minimum: -2, maxLength: 300, minLength: 0, enum: ['a', 'on'], required: ['', 'b'] }
    const shape = { 9: { 1: { 2: { 20: {} } } } }
    expect(inside(encoded({ definitions: { A } }, shape), 2)).toEqual([
      [7, 0.5],
      [9, -2],
      [11, 300],
      [19, ''],
      [19, 'b'],
      [20, [[2, 'a\n']]],
      [20, [[2, '"on"\n']]],
    ])
  })
})

const query = [
  [2, 'query'],
  [4, 'limit'],
  [6, 'integer'],
  [20, 1],
]
const path = [
  [1, 1],
  [2, 'path'],
  [4, 'name'],
  [5, 'string'],
  [19, 1],
]

test('a protobuf document may be larger than the first buffer', () => {
  const title = 'ä'.repeat(100_000)
  expect(encoded({ swagger: '2.0', info: { title, version: 'v' } }, { 2: {} })).toEqual([
    [1, '2.0'],
    [
      2,
      [
        [1, title],
        [2, 'v'],
      ],
    ],
  ])
})
