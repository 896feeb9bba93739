import { describe, expect, test } from 'vitest'
import { ApiError } from '../meta/errors.ts'
import { readEnvelope } from './envelope.ts'
import { field, integer, message } from './wire.fixture.ts'

const prefix = [0x6b, 0x38, 0x73, 0x00]

test('readEnvelope returns the type and a view of the bytes of the object', () => {
  const bytes = message(
    prefix,
    field(1, field(1, 'apps/v1'), field(2, 'Deployment')),
    field(2, [1, 2, 3]),
    field(4, 'text/plain'),
  )
  const envelope = readEnvelope(bytes)
  expect(envelope.apiVersion).toBe('apps/v1')
  expect(envelope.kind).toBe('Deployment')
  expect([...envelope.raw]).toEqual([1, 2, 3])
  expect(envelope.raw.buffer).toBe(bytes.buffer)
})

test('an envelope within a larger buffer', () => {
  const bytes = message([9, 9, 9], prefix, field(1, field(2, 'Pod')), field(2, [7]))
  const envelope = readEnvelope(bytes.subarray(3))
  expect(envelope.kind).toBe('Pod')
  expect([...envelope.raw]).toEqual([7])
})

test('absent apiVersion, kind and object are empty', () => {
  const envelope = readEnvelope(message(prefix, integer(9, 1)))
  expect({ ...envelope, raw: envelope.raw.length }).toEqual({ apiVersion: '', kind: '', raw: 0 })
})

test.each(['a/b/c', '/', 'apps/'])('%s is not a valid apiVersion', (apiVersion) => {
  expect(readEnvelope(message(prefix, field(1, field(1, apiVersion)))).apiVersion).toBe('')
})

describe('400 for an invalid envelope', () => {
  const noPrefix = 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]'

  test.each<[string, readonly number[], string]>([
    ['nothing', [], 'empty data'],
    ['the prefix alone', prefix, 'empty body'],
    ['a truncated prefix', [0x6b, 0x38], noPrefix],
    ['JSON', [...new TextEncoder().encode('{"kind":"Pod"}')], noPrefix],
    ['a truncated field', [...prefix, ...field(2, 'raw').slice(0, -1)], 'unexpected EOF'],
    ['field 0', [...prefix, 0, 0], 'proto: Unknown: illegal tag 0 (wire type 0)'],
    ['an integer for the TypeMeta', [...prefix, ...integer(1, 2)], 'proto: wrong wireType = 0 for field TypeMeta'],
    ['an integer for the kind', [...prefix, ...field(1, integer(2, 2))], 'proto: wrong wireType = 0 for field Kind'],
    ['an end group tag', [...prefix, 0x0c], 'proto: Unknown: wiretype end group for non-group'],
  ])('%s', (_, bytes, text) => {
    const read = () => readEnvelope(message(bytes))
    expect(read).toThrow(ApiError)
    expect(read).toThrow(expect.objectContaining({ code: 400, reason: 'BadRequest', message: text }))
  })
})
