import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeContinue, encodeContinue } from './continue-token.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64url')
const refusal = (message: string) => expect.objectContaining({ code: 400, reason: 'BadRequest', message })

test('a continue token decodes to the position it was encoded from', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1, max: Number.MAX_SAFE_INTEGER }).filter((version) => version !== 0),
      fc.stringMatching(/^[a-zA-Z0-9:é-]{1,20}(\/[a-z0-9-]{1,20})?$/),
      (resourceVersion, after) => {
        const token = encodeContinue({ resourceVersion, after })
        expect(token).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(decodeContinue(token)).toEqual({ resourceVersion, after })
      },
    ),
  )
})

test("kube-apiserver's continue tokens are accepted, with and without the leading slash, and with a start that a client wrote", () => {
  const token = (start: string): string => base64(JSON.stringify({ v: 'meta.k8s.io/v1', rv: 5, start }))
  expect(decodeContinue(token('/b\0'))).toEqual({ resourceVersion: 5, after: 'b' })
  expect(decodeContinue(token('n/b\0'))).toEqual({ resourceVersion: 5, after: 'n/b' })
  const { after } = decodeContinue(token('b'))
  expect(['a', 'azzz', 'b', 'b0'].filter((key) => key > after)).toEqual(['b', 'b0'])
})

describe("400 for an invalid continue token, with kube-apiserver's message", () => {
  test.each([
    ['garbage', `invalid character '\\u0081' looking for beginning of value`],
    ['abc', `invalid character 'i' looking for beginning of value`],
    ['!!!', 'illegal base64 data at input byte 0'],
    ['notbase64!!', 'illegal base64 data at input byte 9'],
    ['e30=', 'illegal base64 data at input byte 3'],
    ['a', 'illegal base64 data at input byte 0'],
    ['', 'unexpected end of JSON input'],
    ['bm90IGpzb24', `invalid character 'o' in literal null (expecting 'u')`],
    [base64('{'), 'unexpected end of JSON input'],
    [base64('hello'), `invalid character 'h' looking for beginning of value`],
    [base64('[]'), 'json: cannot unmarshal array into Go value of type storage.continueToken'],
    [base64('"x"'), 'json: cannot unmarshal string into Go value of type storage.continueToken'],
    [base64('true'), 'json: cannot unmarshal bool into Go value of type storage.continueToken'],
    [base64('5'), 'json: cannot unmarshal number into Go value of type storage.continueToken'],
    [base64('null'), 'server does not recognize this encoded version '],
    [base64('{}'), 'server does not recognize this encoded version '],
    [base64('{"v":"v1","rv":5,"start":"x"}'), 'server does not recognize this encoded version v1'],
    [base64('{"v":5}'), 'json: cannot unmarshal number into Go struct field continueToken.v of type string'],
    [base64('{"v":"meta.k8s.io/v1","start":"x"}'), 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
    [base64('{"v":"meta.k8s.io/v1","rv":5}'), 'encoded start key empty (version meta.k8s.io/v1)'],
    [
      base64('{"v":"meta.k8s.io/v1","rv":"5","start":"x"}'),
      'json: cannot unmarshal string into Go struct field continueToken.rv of type int64',
    ],
    [
      base64('{"v":"meta.k8s.io/v1","rv":5.5,"start":"x"}'),
      'json: cannot unmarshal number 5.5 into Go struct field continueToken.rv of type int64',
    ],
    [
      base64('{"v":"meta.k8s.io/v1","rv":99999999999999999999,"start":"x"}'),
      'json: cannot unmarshal number 99999999999999999999 into Go struct field continueToken.rv of type int64',
    ],
    [
      base64('{"v":"meta.k8s.io/v1","rv":1e3,"start":"x"}'),
      'json: cannot unmarshal number 1e3 into Go struct field continueToken.rv of type int64',
    ],
    ['NotOlderThan', "invalid character '\\u008b' after top-level value"],
    ['e-A', "invalid character 'à' looking for beginning of object key string"],
    [base64('{"v":"meta.k8s.io/v1","rv":5,"start":"../x"}'), '../x'],
    [base64('{"v":"meta.k8s.io/v1","rv":5,"start":"a//x"}'), 'a//x'],
    [
      base64('{"v":"meta.k8s.io/v1","rv":5,"start":["x"]}'),
      'json: cannot unmarshal array into Go struct field continueToken.start of type string',
    ],
  ])('%s', (token, why) => {
    expect(() => decodeContinue(token)).toThrow(refusal(`invalid continue token: continue key is not valid: ${why}`))
  })
})

test('400 for hostile continue tokens: too long, too deep, outside the prefix', () => {
  for (const token of [
    'A'.repeat(1_000_000),
    base64('['.repeat(5_000)),
    base64('{"__proto__":{"v":"meta.k8s.io/v1"}}'),
    '\u{1f600}',
  ]) {
    expect(() => decodeContinue(token)).toThrow(expect.objectContaining({ code: 400 }))
  }
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), (token) => {
      expect(() => decodeContinue(token)).toThrow(expect.objectContaining({ code: 400 }))
    }),
  )
})
