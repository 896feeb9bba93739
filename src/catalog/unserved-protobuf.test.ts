import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringify } from '../go/json.ts'
import type { JsonObject } from '../go/json-value.ts'
import { encodeMessage } from '../protobuf/writer.ts'
import { arbitraryOf } from '../schema/arbitrary.fixture.ts'
import type { Kind } from './kind.ts'
import { messageOfKind, messages } from './protobuf-messages.ts'
import { unservedKinds } from './scheme.ts'

const named = [...unservedKinds()].map((kind) => [`${kind.apiVersion}/${kind.resource}`, kind] as const)

/** Returns the object that a server reads from a body. */
function read(kind: Kind, value: JsonObject): JsonObject {
  const text = stringify(value)
  const { object } = kind.codec.decode(kind.codec.parse(text), text, 'Ignore')
  kind.codec.nullEmptyLists(object)
  return JSON.parse(stringify(object as unknown as JsonObject)) as JsonObject
}

test.each(named)('objects of %s are the same after protobuf', (_name, kind) => {
  const message = messageOfKind(kind) ?? ''
  const property = fc.property(arbitraryOf(kind.type), (value) => {
    // apiVersion and kind are in the envelope.
    const { apiVersion: _apiVersion, kind: _kind, ...fields } = value as JsonObject
    const object = read(kind, { ...fields, metadata: { name: 'a' } })
    const bytes = encodeMessage((writer) => messages.write(message, writer, object))
    expect(read(kind, messages.decode(message, bytes))).toEqual(object)
  })
  fc.assert(property, { numRuns: 5, seed: 3 })
})
