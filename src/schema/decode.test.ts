import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson, setKey } from '../go/json.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { decode, zero } from './decode.ts'
import { DecodeError } from './decode-run.ts'
import { Thing } from './tables.fixture.ts'

/** Returns the fields of the encoded Thing without those that every Thing has. */
function decoded(text: string): string {
  const { containers, selector, metadata, target, status, ...rest } = decode(Thing, parseJson(text, 'verbatim')).object
  return JSON.stringify({
    ...rest,
    ...(containers !== null && { containers }),
    ...(target !== 0 && { target }),
    ...(JSON.stringify(metadata) !== '{}' && { metadata }),
  })
}

const message = (text: string): string => {
  try {
    decode(Thing, parseJson(text, 'verbatim'))
  } catch (error) {
    if (error instanceof DecodeError) return error.message
    throw error
  }
  return ''
}

describe('zero values, null and omitempty', () => {
  test('structs are always written; nil pointers and lists without omitempty are null, in the order of the fields', () => {
    expect(JSON.stringify(zero(Thing))).toBe('{"metadata":{},"containers":null,"selector":null,"target":0,"status":{}}')
    expect(JSON.stringify(decode(Thing, null).object)).toBe(JSON.stringify(zero(Thing)))
    expect(decoded('{"ratio":2,"data":{"a":"b"},"kind":"Thing"}')).toBe('{"kind":"Thing","data":{"a":"b"},"ratio":2}')
  })

  test.each([
    ['{"data":{}}', '{}'],
    ['{"containers":[]}', '{"containers":[]}'],
    ['{"immutable":false,"replicas":0}', '{"immutable":false,"replicas":0}'],
    ['{"immutable":null,"data":null,"ratio":null,"status":null}', '{}'],
    ['{"data":{"b":"2","a":null}}', '{"data":{"a":"","b":"2"}}'],
    ['{"data":{"\\uffee":"1","\\ud83d\\ude00":"2"}}', '{"data":{"\uffee":"1","\u{1f600}":"2"}}'],
    ['{"data":{"a":"\\ud800"}}', '{"data":{"a":"\ufffd"}}'],
    ['{"binaryData":{"a":null,"b":"YR==","c":[1,2,3]}}', '{"binaryData":{"a":"","b":"YQ==","c":"AQID"}}'],
    ['{"containers":[null]}', '{"containers":[{"name":"","strategy":{}}]}'],
    [
      '{"metadata":{"creationTimestamp":null,"deletionTimestamp":null,"finalizers":["a",null]}}',
      '{"metadata":{"finalizers":["a",""]}}',
    ],
    [
      '{"metadata":{"deletionTimestamp":"2020-01-01T01:00:00.9+01:00"}}',
      '{"metadata":{"deletionTimestamp":"2020-01-01T00:00:00Z"}}',
    ],
    ['{"metadata":{"generation":9223372036854775807}}', '{"metadata":{"generation":9223372036854775807}}'],
    ['{"at":"2020-01-01T01:00:00.123456+01:00","wait":"90m"}', '{"at":"2020-01-01T00:00:00.123456Z","wait":"1h30m0s"}'],
    ['{"target":"50%"}', '{"target":"50%"}'],
    ['{"raw":{"b":1.0,"a":null}}', '{"raw":{"b":1.0,"a":null}}'],
    [
      '{"byName":{"x":{"name":"c","resources":{"memory":"1024Mi","cpu":0.5,"a":1e3,"b":null}}}}',
      '{"byName":{"x":{"name":"c","resources":{"a":"1e3","b":"0","cpu":"500m","memory":"1Gi"},"strategy":{}}}}',
    ],
  ])('%s', (text, written) => {
    expect(decoded(text)).toBe(written)
  })

  test('__proto__ is an ordinary key', () => {
    const { object } = decode(Thing, parseJson('{"data":{"__proto__":"x","z":"y"},"__proto__":{"kind":"evil"}}'))
    expect(JSON.stringify(object.data)).toBe('{"__proto__":"x","z":"y"}')
    expect(object.kind).toBeUndefined()
  })
})

describe('decoding errors', () => {
  test.each([
    ['5', 'json: cannot unmarshal number into Go value of type v1.Thing'],
    ['{"data":{"a":1}}', 'json: cannot unmarshal number into Go struct field Thing.data of type string'],
    ['{"data":["a"]}', 'json: cannot unmarshal array into Go struct field Thing.data of type map[string]string'],
    ['{"metadata":"x"}', 'json: cannot unmarshal string into Go struct field Thing.metadata of type v1.ObjectMeta'],
    [
      '{"metadata":12345678901234567890}',
      'json: cannot unmarshal number into Go struct field Thing.metadata of type v1.ObjectMeta',
    ],
    ['{"metadata":{"uid":true}}', 'json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.uid of type types.UID'],
    ['{"replicas":1.5}', 'json: cannot unmarshal number 1.5 into Go struct field Thing.replicas of type int32'],
    ['{"replicas":1.0}', 'json: cannot unmarshal number 1.0 into Go struct field Thing.replicas of type int32'],
    ['{"replicas":99999999999}', 'json: cannot unmarshal number 99999999999 into Go struct field Thing.replicas of type int32'],
    ['{"ratio":1e999}', 'json: cannot unmarshal number 1e999 into Go struct field Thing.ratio of type float64'],
    [
      '{"not":{"containers":{}}}',
      'json: cannot unmarshal object into Go struct field Thing.not.containers of type []v1.Container',
    ],
    [
      '{"byName":{"x":{"ports":[{},{"port":"a"}]}}}',
      'json: cannot unmarshal string into Go struct field Port.byName.ports.port of type int32',
    ],
    [
      '{"volumes":[{"hostPath":5}]}',
      'json: cannot unmarshal number into Go struct field Volume.volumes.VolumeSource.hostPath of type v1.HostPath',
    ],
    ['{"not":{"kind":5}}', 'json: cannot unmarshal number into Go struct field Thing.not.TypeMeta.kind of type string'],
    ['{"target":1.5}', 'json: cannot unmarshal number 1.5 into Go struct field Thing.target of type int32'],
    ['{"target":[]}', 'json: cannot unmarshal array into Go struct field Thing.target of type int32'],
    ['{"at":5}', 'json: cannot unmarshal number into Go struct field Thing.at of type string'],
    ['{"binaryData":{"a":5}}', 'json: cannot unmarshal number into Go struct field Thing.binaryData of type []uint8'],
    ['{"binaryData":{"a":[300]}}', 'json: cannot unmarshal number 300 into Go struct field Thing.binaryData of type uint8'],
    ['{"binaryData":{"a":"!"}}', 'illegal base64 data at input byte 0'],
    ['{"wait":"x"}', 'time: invalid duration "x"'],
    [
      '{"byName":{"x":{"resources":{"cpu":{}}}}}',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
  ])('%s', (text, expected) => {
    expect(message(text)).toBe(expected)
  })

  test('the first error is reported, but an error of an UnmarshalJSON stops at once', () => {
    expect(message('{"replicas":"a","data":5}')).toContain('Thing.replicas')
    expect(message('{"data":5,"replicas":"a"}')).toContain('Thing.data')
    expect(message('{"data":5,"wait":""}')).toBe('time: invalid duration ""')
  })

  test('exceeded max depth', () => {
    const value: JsonObject = {}
    let inner = value
    for (let depth = 0; depth < 100_000; depth++) {
      const next: JsonObject = {}
      inner.not = next
      inner = next
    }
    expect(() => decode(Thing, value)).toThrow(new DecodeError('exceeded max depth'))
  })
})

describe('unknown fields', () => {
  const unknown = (text: string): string[] => decode(Thing, parseJson(text), { strict: true }).unknownFields

  test('are reported by path, in the order of the text', () => {
    const text = '{"b":1,"not":{"Kind":"x"},"byName":{"k":{"z":1}},"containers":[{},{"y":{"x":1}}],"a":1,"raw":{"free":1}}'
    expect(unknown(text)).toEqual(['b', 'not.Kind', 'byName.k.z', 'containers[1].y', 'a'])
  })

  test('are at most 100, and only with strict decoding', () => {
    const text = JSON.stringify(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}`, 1])))
    expect(unknown(text)).toHaveLength(100)
    expect(decode(Thing, parseJson(text)).unknownFields).toEqual([])
  })
})

describe('any JSON', () => {
  const name = fc.constantFrom(...Thing.fields.keys(), 'name', 'labels', 'ports', '__proto__', 'rawJSON')
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<JsonValue>(null, true, 0, 5, 1.5, -1, '', 'a', '1Gi', '2020-01-01T00:00:00Z', 'YQ=='),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.array(fc.tuple(name, tie('value')), { maxLength: 5 }).map((entries) => {
        const object: JsonObject = {}
        for (const [key, entry] of entries) setKey(object, key, entry)
        return object
      }),
    ),
  }))

  test('is decoded or rejected with a DecodeError, and decoding is idempotent', () => {
    fc.assert(
      fc.property(value, (json) => {
        let once: JsonObject
        try {
          once = decode(Thing, json).object
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError)
          return
        }
        expect(JSON.stringify(decode(Thing, once).object)).toBe(JSON.stringify(once))
      }),
      { numRuns: 1000 },
    )
  })
})
