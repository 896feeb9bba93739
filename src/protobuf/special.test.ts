import { describe, expect, test } from 'vitest'
import { messages } from '../catalog/protobuf-messages.ts'
import { rawNumber } from '../go/json.ts'
import type { JsonValue } from '../go/json-value.ts'
import { specialMessages } from './special.ts'
import { field, integer, message, tag } from './wire.fixture.ts'
import { WireError } from './wire.ts'
import { encodeMessage } from './writer.ts'

const metadata = (...fields: readonly (readonly number[])[]): JsonValue =>
  messages.decode('core/v1.ConfigMap', message(field(1, ...fields))).metadata as JsonValue

describe('types with a JSON form of their own', () => {
  const time = (...fields: readonly (readonly number[])[]): JsonValue =>
    (metadata(field(9, ...fields)) as { deletionTimestamp: JsonValue }).deletionTimestamp

  test.each<[string, JsonValue, readonly (readonly number[])[]]>([
    ['only seconds', '2001-09-09T01:46:40Z', [integer(1, 1e9), integer(2, 5e8)]],
    ['none', null, []],
    ["Go's zero time", null, [integer(1, -62_135_596_800)]],
    ['1970', '1970-01-01T00:00:00Z', [integer(1, 0)]],
  ])('Time: %s', (_, expected, fields) => expect(time(...fields)).toBe(expected))

  test('400 for a year that RFC 3339 cannot represent', () => {
    const seconds = 253_402_300_800
    expect(time(integer(1, seconds - 1))).toBe('9999-12-31T23:59:59Z')
    for (const bad of [seconds, 2n ** 60n, -(2n ** 60n)]) expect(() => time(integer(1, bad))).toThrow(WireError)
  })

  test('MicroTime', () => {
    const acquired = (...fields: readonly (readonly number[])[]): JsonValue =>
      messages.decode('coordination/v1.LeaseSpec', message(field(3, ...fields))).acquireTime ?? null
    expect(acquired(integer(1, -1), integer(2, 123_456_789))).toBe('1969-12-31T23:59:59.123456Z')
    expect(acquired(integer(2, 1_500_000_000))).toBe('1970-01-01T00:00:01.500000Z')
    expect(acquired(integer(1, 10), integer(2, -1500))).toBe('1970-01-01T00:00:09.999999Z')
    expect(acquired()).toBe(null)
  })

  test('Duration', () => {
    const duration = specialMessages['meta/v1.Duration']
    expect(duration?.toJson({ duration: 5.4e12 })).toBe('1h30m0s')
    expect(duration?.toJson({ duration: rawNumber('-9223372036854775808') })).toBe('-2562047h47m16.854775808s')
    expect(duration?.toJson({})).toBe('0s')
  })

  test('IntOrString', () => {
    const port = (...fields: readonly (readonly number[])[]): JsonValue =>
      messages.decode('core/v1.ServicePort', message(field(4, ...fields))).targetPort ?? null
    expect(port(integer(1, 0), integer(2, 80), field(3, 'x'))).toBe(80)
    expect(port(integer(1, 1), integer(2, 80), field(3, 'x'))).toBe('x')
    expect(port()).toBe(0)
    expect(() => port(integer(1, 2))).toThrow(new WireError('impossible IntOrString.Type'))
  })

  test('RawExtension and FieldsV1 contain JSON', () => {
    const revision = (json: string): JsonValue =>
      messages.decode('apps/v1.ControllerRevision', message(field(2, field(1, json)))).data ?? null
    expect(JSON.stringify(revision('{"a":1.0, "__proto__":99999999999999999999}'))).toBe(
      '{"a":1.0,"__proto__":99999999999999999999}',
    )
    const written = encodeMessage((writer) =>
      messages.write('apps/v1.ControllerRevision', writer, { data: { 10: 1, 9: 'a && b', a: '<' } }),
    )
    expect(Buffer.from(written).toString()).toContain(String.raw`{"10":1,"9":"a \u0026\u0026 b","a":"\u003c"}`)
    expect(() => revision('{bad')).toThrow(WireError)
    expect(() => revision('')).toThrow(WireError)
    const managed = (json: string): JsonValue => metadata(field(17, field(7, field(1, json))))
    expect(managed('{"f:data":{}}')).toEqual({ managedFields: [{ fieldsV1: { 'f:data': {} } }] })
    expect(() => managed('{bad')).toThrow(WireError)
  })

  test('JSONSchemaPropsOrArray, JSONSchemaPropsOrBool and JSONSchemaPropsOrStringArray', () => {
    const schema = (...fields: readonly (readonly number[])[]): JsonValue =>
      messages.decode('apiextensions/v1.JSONSchemaProps', message(...fields))
    const string = field(5, 'string')
    expect(schema(field(24, field(1, string)))).toEqual({ items: { type: 'string' } })
    expect(schema(field(24, field(2, string), field(2)))).toEqual({ items: [{ type: 'string' }, {}] })
    expect(schema(field(30, integer(1, 1)))).toEqual({ additionalProperties: true })
    expect(schema(field(30))).toEqual({ additionalProperties: false })
    expect(schema(field(30, integer(1, 1), field(2, string)))).toEqual({ additionalProperties: { type: 'string' } })
    expect(schema(field(8, field(1, 'false')), field(8))).toEqual({ default: null })
  })

  test('float64', () => {
    const minimum = (...bytes: number[]): JsonValue =>
      messages.decode('apiextensions/v1.JSONSchemaProps', message(tag(11, 1), bytes)).minimum ?? null
    expect(minimum(0, 0, 0, 0, 0, 0, 0xe0, 0x3f)).toBe(0.5)
    expect(() => minimum(0, 0, 0, 0, 0, 0, 0xf8, 0x7f)).toThrow(new WireError('json: unsupported value: NaN'))
    expect(() => minimum(0, 0)).toThrow(new WireError('unexpected EOF'))
  })
})
