import { describe, expect, test } from 'vitest'
import { field, integer, message } from '../../protobuf/wire.fixture.ts'
import { readDeletion } from './delete-options.ts'

function deletion(contentType: string, body: string | Uint8Array) {
  const request = new Request('http://localhost/', { method: 'DELETE', body, headers: { 'content-type': contentType } })
  return readDeletion(request, new URLSearchParams('gracePeriodSeconds=9'))
}

const json = 'application/json'
const protobuf = 'application/vnd.kubernetes.protobuf'
const inProtobuf = (apiVersion: string, kind: string, ...options: number[][]): Uint8Array =>
  message([0x6b, 0x38, 0x73, 0], field(1, field(1, apiVersion), field(2, kind)), field(2, ...options))

describe('DeleteOptions', () => {
  test('are read from the query if there is no body, for any Content-Type', async () => {
    expect(await deletion('text/plain', '')).toEqual({ delete: { gracePeriodSeconds: 9 }, dryRun: false })
  })

  test('are the same in JSON and in protobuf', async () => {
    const options = [integer(1, 5), field(2, field(1, 'u'), field(2, '7')), field(4, 'Foreground'), field(5, 'All')]
    const text =
      '{"gracePeriodSeconds":5,"preconditions":{"uid":"u","resourceVersion":"7"},"propagationPolicy":"Foreground","dryRun":["All"]}'
    const expected = {
      delete: { uid: 'u', resourceVersion: '7', gracePeriodSeconds: 5, propagationPolicy: 'Foreground' },
      dryRun: true,
    }
    expect(await deletion(json, text)).toEqual(expected)
    expect(await deletion(protobuf, inProtobuf('v1', 'DeleteOptions', ...options))).toEqual(expected)
    expect(await deletion(protobuf, inProtobuf('', '', ...options))).toEqual(expected)
  })

  test.each(['1e2', '1.0', '99999999999999999999'])(
    'must have integers of 64 bits, also if their value is one: %s',
    async (digits) => {
      const message = `json: cannot unmarshal number ${digits} into Go struct field DeleteOptions.gracePeriodSeconds of type int64`
      await expect(deletion(json, `{"gracePeriodSeconds":${digits}}`)).rejects.toMatchObject({ code: 400, message })
    },
  )

  const scheme = 'in scheme "pkg/runtime/scheme.go:111"'

  test.each([
    ['v1', 'ConfigMap', `no kind "ConfigMap" is registered for version "v1" ${scheme}`],
    ['', 'ConfigMap', `no kind "ConfigMap" is registered for version "meta.k8s.io/v1" ${scheme}`],
    ['v1', 'Status', 'converting (v1.Status) to (v1.DeleteOptions): unknown conversion'],
    ['v1', 'ListOptions', `no kind "ListOptions" is registered for version "v1" ${scheme}`],
    ['meta.k8s.io/v1', 'ListOptions', 'converting (v1.ListOptions) to (v1.DeleteOptions): unknown conversion'],
  ])('of another kind are a 400: %s %s', async (apiVersion, kind, text) => {
    const refused = expect.objectContaining({ code: 400, message: text })
    await expect(deletion(protobuf, inProtobuf(apiVersion, kind))).rejects.toEqual(refused)
    await expect(deletion(json, JSON.stringify({ apiVersion, kind }))).rejects.toEqual(refused)
  })

  test.each<[string, string | Uint8Array, string]>([
    [json, '{', "couldn't get version/kind; json parse error: unexpected end of JSON input"],
    [json, '{"apiVersion":"a/b/c"}', 'unexpected GroupVersion string: a/b/c'],
    [protobuf, message([0x6b, 0x38, 0x73, 0]), 'empty body'],
    [protobuf, inProtobuf('v1', 'DeleteOptions', field(1, '')), 'proto: wrong wireType = 2 for field GracePeriodSeconds'],
  ])('that are malformed are a 400: %s %j', async (contentType, body, text) => {
    await expect(deletion(contentType, body)).rejects.toEqual(expect.objectContaining({ code: 400, message: text }))
  })
})
