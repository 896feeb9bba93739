import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectLinear } from '../../test/linear.ts'
import { messageOfKind, messages } from '../catalog/protobuf-messages.ts'
import { allKinds } from '../catalog/scheme.ts'
import { decode } from '../schema/decode.ts'
import { DecodeError } from '../schema/decode-run.ts'
import { readEnvelope } from './envelope.ts'
import { field, integer, message, tag, varint } from './wire.fixture.ts'
import { WireError } from './wire.ts'

const repeat = (times: number, bytes: readonly number[]): number[] => Array.from({ length: times }, () => bytes).flat()

describe("400 with Go's message for invalid protobuf", () => {
  test.each<[string, readonly number[], string]>([
    ['a varint of eleven bytes', [...repeat(11, [0x80]), 1], 'proto: integer overflow'],
    ['a truncated varint', [0x80], 'unexpected EOF'],
    ['a truncated message', field(1, 'abc').slice(0, -1), 'unexpected EOF'],
    ['a text that exceeds its message', field(1, [0x0a, 5, 0x61]), 'unexpected EOF'],
    ['a length of 2^40', [...tag(1, 2), ...varint(2 ** 40)], 'unexpected EOF'],
    ['a negative length', [...tag(1, 2), ...varint(-1)], 'proto: negative length found during unmarshaling'],
    ['a negative length of an unknown field', [...tag(99, 2), ...varint(-1)], 'proto: negative length found during unmarshaling'],
    ['an integer for a message', integer(1, 3), 'proto: wrong wireType = 0 for field ObjectMeta'],
    ['an integer for a map', integer(2, 3), 'proto: wrong wireType = 0 for field Data'],
    ['a text for a boolean', field(4, 'x'), 'proto: wrong wireType = 2 for field Immutable'],
    ['an integer for a uid', field(1, integer(5, 1)), 'proto: wrong wireType = 0 for field UID'],
    ['field 0', [0, 1], 'proto: ConfigMap: illegal tag 0 (wire type 0)'],
    [
      'a field number beyond 31 bits',
      [...varint(2n ** 34n), 0],
      'proto: ConfigMap: illegal tag -2147483648 (wire type 17179869184)',
    ],
    ['an end group tag', tag(1, 4), 'proto: ConfigMap: wiretype end group for non-group'],
    ['an unterminated group', [...tag(99, 3), ...integer(1, 1)], 'unexpected EOF'],
    ['an end group tag in a map', field(2, tag(9, 4)), 'proto: unexpected end of group'],
    ['an unknown wire type', [...tag(99, 6), 0], 'proto: illegal wireType 6'],
    ['a truncated fixed64', [...tag(99, 1), 1, 2, 3], 'unexpected EOF'],
    ['a key that exceeds its entry', [...field(2, [0x0a, 2]), ...integer(4, 1)], 'unexpected EOF'],
    ['a skipped field that exceeds its entry', [...field(2, [...tag(9, 2), 2]), 0, 0], 'unexpected EOF'],
  ])('%s', (_, bytes, text) => {
    const read = () => messages.decode('core/v1.ConfigMap', message(bytes))
    expect(read).toThrow(expect.objectContaining({ code: 400, reason: 'BadRequest', message: text }))
    expect(read).toThrow(WireError)
  })
})

/** Returns a message nested in itself `depth` times. */
function nested(depth: number, number: number): number[] {
  // From the innermost outwards, each with its length in front: the bytes are written backwards.
  const backwards: number[] = []
  for (let level = 0; level < depth; level++) backwards.push(...varint(backwards.length).reverse(), ...tag(number, 2).reverse())
  return backwards.reverse()
}

describe('bounds of protobuf messages', () => {
  test('messages may be nested 1000 times', () => {
    const schema = (depth: number) => messages.decode('apiextensions/v1.JSONSchemaProps', message(nested(depth, 28)))
    let innermost = schema(1000)
    for (let depth = 0; depth < 1000; depth++) innermost = innermost.not as typeof innermost
    expect(innermost).toEqual({})
    expect(() => schema(1001)).toThrow(new WireError('exceeded max depth'))
    expect(() => schema(200_000)).toThrow(new WireError('exceeded max depth'))
  })

  test('groups are skipped without recursion', () => {
    const bytes = message(repeat(500_000, tag(99, 3)), repeat(500_000, tag(99, 4)))
    expect(messages.decode('core/v1.ConfigMap', bytes)).toEqual({})
  })

  test.each<[string, (size: number) => number[]]>([
    ['entries', (size) => repeat(size, field(2))],
    ['entries that extend to the end', (size) => repeat(size, field(2, [0x0a, ...varint(1_000_000)]))],
    ['numbers', (size) => field(4, repeat(size, [1]))],
    ['bytes that are not UTF-8', (size) => field(1, field(1, repeat(size, [0xe2])))],
    ['merged messages', (size) => repeat(size, field(1))],
  ])('many %s take linear time', (_, bytesOf) => {
    expectLinear((size) => {
      const bytes = message(bytesOf(size))
      return () => {
        try {
          messages.decode('core/v1.ConfigMap', bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(WireError)
        }
      }
    }, 60_000)
  })
})

const types = [...allKinds()].map((kind) => ({ reference: messageOfKind(kind) ?? '', type: kind.type }))

/** Fields with small numbers, nested as messages are, some of them corrupted. */
const { fields } = fc.letrec<{ fields: number[]; value: number[] }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, depthSize: 'large' },
    fc
      .tuple(fc.integer({ min: 0, max: 40 }), fc.bigInt({ min: -5n, max: 2n ** 63n }))
      .map(([number, value]) => integer(number, value)),
    fc.tuple(fc.integer({ min: 1, max: 40 }), fc.string()).map(([number, text]) => field(number, text)),
    fc.tuple(fc.integer({ min: 1, max: 12 }), tie('fields')).map(([number, inner]) => field(number, inner)),
    fc.tuple(fc.integer({ min: 1, max: 99 }), fc.constantFrom(1, 3, 4, 5, 6)).map(([number, wireType]) => tag(number, wireType)),
  ),
  fields: fc.array(tie('value'), { maxLength: 6 }).map((values) => values.flat()),
}))

function throwsNothingElse(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof WireError || error instanceof DecodeError)) throw error
  }
}

describe('arbitrary bytes throw no other error than WireError', () => {
  test('for an object of any kind, and the result is JSON', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...types),
        fc.oneof(
          fields,
          fc.uint8Array().map((bytes) => [...bytes]),
        ),
        ({ reference, type }, bytes) => {
          throwsNothingElse(() => {
            const value = messages.decode(reference, Uint8Array.from(bytes))
            JSON.stringify(value)
            decode(type, value)
          })
        },
      ),
      { numRuns: 3000 },
    )
  })

  test('for an envelope', () => {
    const prefixed = fc.uint8Array().map((bytes) => Uint8Array.from([0x6b, 0x38, 0x73, 0, ...bytes]))
    fc.assert(fc.property(fc.oneof(fc.uint8Array(), prefixed), (bytes) => throwsNothingElse(() => readEnvelope(bytes))))
  })
})
