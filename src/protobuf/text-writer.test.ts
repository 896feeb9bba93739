import { expect, test } from 'vitest'
import { messages } from '../catalog/protobuf-messages.ts'
import { parseJson } from '../go/json.ts'
import type { JsonObject } from '../go/json-value.ts'
import { endOfText } from './text-reader.ts'
import { encodeMessage } from './writer.ts'

const encoder = new TextEncoder()

const ofValue = (reference: string, text: string): Uint8Array =>
  encodeMessage((writer) => messages.write(reference, writer, parseJson(text, 'verbatim') as JsonObject))

const ofText = (reference: string, text: string): Uint8Array =>
  encodeMessage((writer) => expect(messages.writeText(reference, writer, encoder.encode(text))).toBe(encoder.encode(text).length))

const deep = (levels: number): string => `${'{"properties":{"a":'.repeat(levels)}{"type":"string"}${'}}'.repeat(levels)}`

test.each([
  ['escapes in texts', 'core/v1.ConfigMap', String.raw`{"metadata":{"name":"\"\\\nü\u003c😀"},"data":{"a":"\ud83d\ude00"}}`],
  ['a lone surrogate', 'core/v1.ConfigMap', String.raw`{"data":{"a":"x\ud83dx"}}`],
  ['keys that are not sorted', 'core/v1.ConfigMap', '{"metadata":{},"data":{"b":"1","a":"2","ab":"3"}}'],
  ['a key that is a prefix of another', 'core/v1.ConfigMap', '{"data":{"a":"1","a.b":"2","ab":"3"}}'],
  ['an escaped key', 'core/v1.ConfigMap', String.raw`{"data":{"\u003c":"1"}}`],
  ['an empty key', 'core/v1.ConfigMap', '{"data":{"":"1","a":""}}'],
  ['the key __proto__', 'core/v1.ConfigMap', '{"data":{"__proto__":"1"}}'],
  ['empty maps and lists', 'core/v1.Pod', '{"metadata":{"labels":{}},"spec":{"containers":[],"nodeSelector":{}},"status":{}}'],
  ['null for absent fields', 'core/v1.Pod', '{"metadata":{"creationTimestamp":null},"spec":{"containers":null}}'],
  [
    'fields in another order',
    'core/v1.Pod',
    '{"spec":{"restartPolicy":"Always","containers":[{"image":"i","name":"n"}]},"metadata":{"name":"a"}}',
  ],
  ['unknown fields', 'core/v1.Pod', '{"kind":"Pod","new":[{"a":"}"}],"spec":{"newer":1e9,"hostname":"h"},"newest":null}'],
  ['a duplicate field', 'core/v1.Pod', '{"spec":{"hostname":"a","hostname":"b"}}'],
  ['bytes', 'core/v1.Secret', '{"data":{"a":"AAEC","b":"","c":null}}'],
  [
    'large and negative numbers',
    'core/v1.Pod',
    '{"spec":{"activeDeadlineSeconds":9223372036854775807,"priority":-1,"terminationGracePeriodSeconds":0}}',
  ],
  [
    'times',
    'core/v1.Pod',
    '{"metadata":{"creationTimestamp":"2024-02-29T23:59:59Z","deletionTimestamp":"1969-12-31T23:59:59Z"}}',
  ],
  [
    'more times',
    'core/v1.Pod',
    '{"metadata":{"creationTimestamp":"0001-01-01T00:00:00Z","deletionTimestamp":"2100-03-01T00:00:00+01:00"}}',
  ],
  ['times with fractions', 'coordination/v1.Lease', '{"spec":{"acquireTime":"2024-02-29T23:59:59.123456Z"}}'],
  [
    'managed fields',
    'core/v1.Pod',
    String.raw`{"metadata":{"managedFields":[{"fieldsV1":{"f:a":{"k:{\"b\":\"c\"}":{}}}},{"fieldsV1":{"v:\u003c":{}}}]}}`,
  ],
  ['IntOrString', 'core/v1.Service', '{"spec":{"ports":[{"port":80,"targetPort":80},{"port":81,"targetPort":"http"}]}}'],
  ['any JSON', 'apps/v1.ControllerRevision', '{"data":{"a":[1.0,1e3,{"b":null}]},"revision":3}'],
  [
    'escapes for HTML in any JSON',
    'apps/v1.ControllerRevision',
    String.raw`{"data":{"a":"x \u0026\u0026 y\u2028"},"revision":3}`,
  ],
  ['keys of any JSON that look like integers', 'apps/v1.ControllerRevision', '{"data":{"10":1,"9":2,"a":{"2":0}},"revision":3}'],
  ['an embedded message', 'core/v1.PersistentVolume', '{"spec":{"capacity":{"storage":"1Gi"},"hostPath":{"path":"/a"}}}'],
  ['nested messages', 'apiextensions/v1.JSONSchemaProps', deep(30)],
  ['deeply nested messages', 'apiextensions/v1.JSONSchemaProps', deep(300)],
])('writeText gives the same bytes as write: %s', (_name, reference, text) => {
  for (let time = 0; time < 2; time++) expect(Buffer.compare(ofText(reference, text), ofValue(reference, text))).toBe(0)
})

test('objects are written one after the other', () => {
  const texts = ['{"data":{"a":"1"}}', '{"metadata":{"name":"b"},"data":{"b":" ","a":""}}', '{}']
  const bytes = encoder.encode(texts.join(','))
  let at = 0
  for (const text of texts) {
    const message = encodeMessage((writer) => {
      at = messages.writeText('core/v1.ConfigMap', writer, bytes, at) + 1
    })
    expect(Buffer.compare(message, ofValue('core/v1.ConfigMap', text))).toBe(0)
  }
  expect(at).toBe(bytes.length + 1)
})

test.each(['"a\\"b"', '12', 'null', '{"a":["]}",{}]}', '[]', '[[1],"\\\\"]'])('endOfText of %s', (text) => {
  expect(endOfText(encoder.encode(`${text},1`), 0)).toBe(text.length)
})

test.each(['{"data":{"a":"1"', '{"data":', '{"data":{"a"', '{"data', '{', ''])('%s is rejected', (text) => {
  expect(() => encodeMessage((writer) => void messages.writeText('core/v1.ConfigMap', writer, encoder.encode(text)))).toThrow()
})

// The buffer of notes is reset after an object with very many values.
test.each([20, 150, 5000, 150, 700])('a list of %i messages is complete', (count) => {
  const containers = Array.from({ length: count }, (_, index) => ({ name: `c${index}`, env: [{ name: 'A', value: 'b' }] }))
  const pod = JSON.stringify({ metadata: { name: 'a' }, spec: { containers, hostname: 'h' }, status: { phase: 'Running' } })
  expect(ofText('core/v1.Pod', pod)).toEqual(ofValue('core/v1.Pod', pod))
})
