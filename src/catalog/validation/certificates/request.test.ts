import { generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseRequest, requestError } from './request.ts'

const element = (tag: number, ...content: readonly Uint8Array[]): Uint8Array => {
  const body = Buffer.concat(content)
  const size = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}
const oid = (hex: string): Uint8Array => element(0x06, Buffer.from(hex, 'hex'))
const text = (value: string): Uint8Array => element(0x0c, Buffer.from(value))
const ecdsaWithSha256 = element(0x30, oid('2a8648ce3d040302'))

/** Encodes a request as PEM in base64, the form of `spec.request`. */
const pem = (der: Uint8Array): string => {
  const lines = Buffer.from(der).toString('base64')
  return Buffer.from(`-----BEGIN CERTIFICATE REQUEST-----\n${lines}\n-----END CERTIFICATE REQUEST-----\n`).toString('base64')
}

/** Creates a request for the organization, signed with a new key. */
function request(organization: string): Uint8Array {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = element(0x30, element(0x31, element(0x30, oid('55040a'), text(organization))))
  const key = publicKey.export({ type: 'spki', format: 'der' })
  const info = element(0x30, element(0x02, Buffer.from([0])), name, key, element(0xa0))
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', info, privateKey)])
  return element(0x30, info, ecdsaWithSha256, element(0x03, signature))
}

test('a correctly signed certificate request is valid', () => {
  const csr = pem(request('system:nodes'))
  expect(parseRequest(csr).organizations).toEqual(['system:nodes'])
  expect(requestError(csr)).toBeUndefined()
})

test('a certificate request that was changed after it was signed has an invalid signature', () => {
  const der = Buffer.from(request('aaaa'))
  der.set(Buffer.from('bbbb'), der.indexOf('aaaa'))
  expect(requestError(pem(der))).toBe('x509: ECDSA verification failure')
})

const sequence = (...content: readonly Uint8Array[]): string => pem(element(0x30, ...content))

test.each([
  ['nothing', '', 'PEM block type must be CERTIFICATE REQUEST'],
  ['no sequence', pem(element(0x02, Buffer.from([1]))), 'asn1: structure error: tags do not match'],
  ['more than one', pem(Buffer.concat([request('a'), Buffer.from([0])])), 'asn1: syntax error: trailing data'],
  ['a part', pem(request('a').subarray(0, 40)), 'asn1: syntax error: data truncated'],
  ['a length of nine bytes', pem(Buffer.from('308901', 'hex')), 'asn1: structure error: length too large'],
  ['an empty sequence', sequence(), 'asn1: syntax error: sequence truncated'],
  ['other tags', sequence(text('a'), text('b'), text('c')), 'asn1: structure error: tags do not match'],
])('%s is no request', (_name, given, wrong) => {
  expect(requestError(given)).toBe(wrong)
})

test('a certificate request with too many DER elements is rejected', () => {
  const many = Buffer.alloc(1_000_000)
  many.set([0x30, 0x83, 0x0f, 0x42, 0x3b])
  expect(requestError(pem(many))).toBe('asn1: structure error: too many elements')
})

test('random bytes as a certificate request give an error message and never throw', () => {
  const good = request('a')
  const broken = fc.tuple(fc.nat(good.length - 1), fc.nat(255)).map(([at, byte]) => Buffer.from(good).fill(byte, at, at + 1))
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), broken), (der) => {
      expect(['string', 'undefined']).toContain(typeof requestError(pem(der)))
    }),
    { numRuns: 500 },
  )
})
