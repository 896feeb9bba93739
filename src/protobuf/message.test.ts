import { describe, expect, test } from 'vitest'
import { messageOf, messages } from '../catalog/protobuf-messages.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { field, integer, message, tag, varint } from './wire.fixture.ts'

const name = field(1, field(1, 'x'))
const configMap = (...fields: readonly (readonly number[])[]): JsonObject =>
  messages.decode('core/v1.ConfigMap', message(...fields))
const metadata = (...fields: readonly (readonly number[])[]): JsonValue => configMap(field(1, ...fields)).metadata as JsonValue

test('messageOf returns the message of a kind', () => {
  expect(messageOf('v1', 'ConfigMap')).toBe('core/v1.ConfigMap')
  expect(messageOf('rbac.authorization.k8s.io/v1', 'Role')).toBe('rbac/v1.Role')
})

test('texts, maps, bytes and booleans', () => {
  const bytes = [name, field(2, field(1, 'a'), field(2, 'größe')), field(3, field(1, 'b'), field(2, [0, 255])), integer(4, 7)]
  expect(configMap(...bytes)).toEqual({
    metadata: { name: 'x' },
    data: { a: 'größe' },
    binaryData: { b: 'AP8=' },
    immutable: true,
  })
})

test('zero values are omitted from JSON as in Go, except behind a pointer', () => {
  expect(metadata(field(2, ''), integer(7, 0), integer(10, 0))).toEqual({ deletionGracePeriodSeconds: 0 })
})

test('the last value of a field is used, even if it is zero; messages are merged', () => {
  expect(metadata(integer(7, 5), integer(7, 0))).toEqual({})
  expect(configMap(field(1, field(1, 'x'), field(3, 'n')), field(1, field(1, 'y')))).toEqual({
    metadata: { name: 'y', namespace: 'n' },
  })
})

test('unknown fields of all wire types are skipped', () => {
  const group = [...tag(99, 3), ...integer(1, 5), ...tag(98, 3), ...tag(98, 4), ...tag(99, 4)]
  const fixed = [...tag(90, 1), 1, 2, 3, 4, 5, 6, 7, 8, ...tag(91, 5), 1, 2, 3, 4]
  expect(configMap(group, fixed, field(92, 'text'), integer(93, 2 ** 40), name)).toEqual({ metadata: { name: 'x' } })
})

describe('map fields', () => {
  test('an entry may lack its key or value, and the last value of a key is used', () => {
    expect(configMap(field(2, field(1, 'a'), field(2, '1')), field(2), field(2, field(1, 'a')))).toEqual({
      data: { a: '', '': '' },
    })
    const quota = messages.decode('core/v1.ResourceQuota', message(field(2, field(1, field(1, 'cpu')))))
    expect(quota).toEqual({ spec: { hard: { cpu: '0' } } })
  })

  test('__proto__ is an ordinary key', () => {
    const { data } = configMap(field(2, field(1, '__proto__'), field(2, '1'))) as { data: object }
    expect(Object.entries(data)).toEqual([['__proto__', '1']])
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype)
  })

  test('a list that is a message of its own', () => {
    const extra = field(5, field(1, 'scopes'), field(2, field(1, 'a'), field(1, 'b')))
    const spec = field(2, extra)
    expect(messages.decode('authorization/v1.SubjectAccessReview', message(spec))).toEqual({
      spec: { extra: { scopes: ['a', 'b'] } },
    })
  })
})

describe('text fields', () => {
  const text = (...bytes: number[]): JsonValue => (metadata(field(1, bytes)) as { name: string }).name

  test('a byte order mark is kept', () => expect(text(0xef, 0xbb, 0xbf, 0x68)).toBe('\ufeffh'))
  test('every byte that is not UTF-8 becomes U+FFFD', () => {
    expect(text(0x78, 0xff, 0xe2, 0x82, 0x79, 0xed, 0xa0, 0x80)).toBe('x\ufffd\ufffd\ufffdy\ufffd\ufffd\ufffd')
  })
  test('U+FFFD is kept', () => expect(text(0xef, 0xbf, 0xbd, 0xf0, 0x9f, 0x98, 0x80)).toBe('\ufffd😀'))
  test.each([...'aé€😀'])('%s', (character) => expect(text(...new TextEncoder().encode(character))).toBe(character))
})

describe('integer fields', () => {
  const int64 = (value: bigint): string => JSON.stringify(metadata(integer(10, value)))

  test.each([0n, 1n, -1n, 127n, 128n, 2n ** 31n, 2n ** 32n - 1n, -(2n ** 32n), 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)])(
    '%s',
    (value) => expect(int64(value)).toBe(`{"deletionGracePeriodSeconds":${value}}`),
  )

  test('32-bit integers are truncated', () => {
    const revision = (value: bigint): JsonValue =>
      messages.decode('apps/v1.DeploymentSpec', message(integer(1, value))).replicas ?? null
    expect([5n, -5n, 2n ** 31n, 2n ** 32n + 3n].map(revision)).toEqual([5, -5, -(2 ** 31), 3])
  })

  test('repeated numbers, packed, unpacked and mixed', () => {
    const groups = [integer(4, 1), field(4, varint(2), varint(2n ** 53n + 1n)), integer(4, 3)]
    const context = messages.decode('core/v1.PodSecurityContext', message(...groups))
    expect(JSON.stringify(context)).toBe('{"supplementalGroups":[1,2,9007199254740993,3]}')
  })
})

test('fields of an embedded struct are inline in JSON', () => {
  const volume = message(field(1, 'v'), field(2, field(19, field(1, field(1, 'cm')))))
  expect(messages.decode('core/v1.Volume', volume)).toEqual({ name: 'v', configMap: { name: 'cm' } })
  const rule = message(field(1, 'n'), field(2, field(1, 'CREATE'), field(2, field(1, 'apps'), field(3, 'pods'))))
  expect(messages.decode('admissionregistration/v1.NamedRuleWithOperations', rule)).toEqual({
    resourceNames: ['n'],
    operations: ['CREATE'],
    apiGroups: ['apps'],
    resources: ['pods'],
  })
})
