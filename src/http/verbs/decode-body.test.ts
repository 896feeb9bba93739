import { describe, expect, test } from 'vitest'
import { kindOf } from '../../catalog/scheme.ts'
import { field, message } from '../../protobuf/wire.fixture.ts'
import { decodeBody } from './decode-body.ts'

const protobuf = 'application/vnd.kubernetes.protobuf'
const configMap = kindOf('', 'v1', 'configmaps')
if (configMap === undefined) throw new Error('no ConfigMap')

const prefix = [0x6b, 0x38, 0x73, 0]
const named = field(1, field(1, 'x'))
const envelope = (apiVersion: string, kind: string, ...raw: number[][]): number[] => [
  ...field(1, field(1, apiVersion), field(2, kind)),
  ...field(2, ...raw),
]
const decoded = (...bytes: number[][]) =>
  decodeBody(configMap, { mediaType: protobuf, bytes: message(prefix, ...bytes) }, 'Strict')

describe('a body in protobuf', () => {
  test('is decoded to the same object as in JSON', async () => {
    const { object, warnings } = await decoded(envelope('v1', 'ConfigMap', named, field(2, field(1, 'a'), field(2, '1'))))
    const text = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x"},"data":{"a":"1"}}'
    expect(object).toEqual((await decodeBody(configMap, { mediaType: 'application/json', text }, 'Strict')).object)
    expect(warnings).toEqual([])
  })

  test.each([
    ['', ''],
    ['', 'ConfigMap'],
    ['v1', ''],
    ['a/b/c', 'ConfigMap'],
  ])('may have no apiVersion and kind: %j %j', async (apiVersion, kind) => {
    expect((await decoded(envelope(apiVersion, kind, named))).object).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'x' },
    })
  })

  test('passes strict field validation', async () => {
    expect((await decoded(envelope('v1', 'ConfigMap', named, field(99, 'new')))).warnings).toEqual([])
  })

  const cannot = (version: string, kind: string, why: string) =>
    `${kind} in version "${version}" cannot be handled as a ConfigMap: ${why}`
  const scheme = 'in scheme "pkg/runtime/scheme.go:111"'

  test.each([
    ['v1', 'Foo', cannot('v1', 'Foo', `no kind "Foo" is registered for version "v1" ${scheme}`)],
    ['v2', 'ConfigMap', cannot('v2', 'ConfigMap', `no kind "ConfigMap" is registered for version "v2" ${scheme}`)],
    ['v1', 'Secret', cannot('v1', 'Secret', 'converting (v1.Secret) to (core.ConfigMap): unknown conversion')],
  ])('of another kind is a 400: %s %s', async (apiVersion, kind, text) => {
    const refusal = expect.objectContaining({ code: 400, message: text })
    await expect(decoded(envelope(apiVersion, kind, named))).rejects.toThrow(refusal)
  })

  test('that is malformed is a 400', async () => {
    await expect(decoded(envelope('v1', 'ConfigMap', [0x0a, 5]))).rejects.toThrow(cannot('v1', 'ConfigMap', 'unexpected EOF'))
    const unrecognized = 'the object provided is unrecognized (must be of type ConfigMap)'
    await expect(decoded([0x0a, 5])).rejects.toThrow(`${unrecognized}: unexpected EOF (6b3873000a05)`)
    await expect(decodeBody(configMap, { mediaType: protobuf, bytes: message() }, 'Warn')).rejects.toThrow(
      `${unrecognized}: empty data (<empty>)`,
    )
  })
})

test.each([
  ['apps', 'deployments', 'extensions/v1beta1', 'Deployment', 'apps/v1'],
  ['networking.k8s.io', 'ingresses', 'extensions/v1beta1', 'Ingress', 'networking.k8s.io/v1'],
  ['', 'events', 'events.k8s.io/v1', 'Event', 'v1'],
  ['events.k8s.io', 'events', 'v1', 'Event', 'events.k8s.io/v1'],
])('a kind of two groups has one internal type: %s %s', async (group, resource, apiVersion, kind, expected) => {
  const requested = kindOf(group, 'v1', resource)
  if (requested === undefined) throw new Error(`no ${resource}`)
  const text = JSON.stringify({ apiVersion, kind, metadata: { name: 'x' } })
  await expect(decodeBody(requested, { mediaType: 'application/json', text }, 'Warn')).rejects.toThrow(
    `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
  )
})

test('the message about malformed JSON contains its first thirty bytes', async () => {
  const text = `{"apiVersion":"v1","metadata":${'x'.repeat(50)}`
  await expect(decodeBody(configMap, { mediaType: 'application/json', text }, 'Warn')).rejects.toThrow(
    '({"apiVersion":"v1","metadata": ...)',
  )
})
