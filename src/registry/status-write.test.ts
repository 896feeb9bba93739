import { expect, test } from 'vitest'
import { partsOf } from './status-write.ts'

test('a stored object is split into metadata, spec and status', () => {
  const metadata = {
    name: 'a',
    annotations: { note: ',"spec":{"x":1},"status":{}' },
    managedFields: [{ fieldsV1: { 'f:spec': {} } }],
  }
  const spec = { items: [{ spec: { a: 1 }, status: { b: 2 } }], text: ',"status":{}' }
  const status = { conditions: [{ type: 'A', message: ',"status":{"' }], spec: { z: 1 } }
  expect(partsOf(JSON.stringify({ metadata, spec, status }))).toEqual({
    outline: { metadata, status },
    spec: `"spec":${JSON.stringify(spec)}`,
  })
})

test.each([
  ['without a status', { metadata: {}, spec: { items: [{ a: 1, status: {} }] } }],
  ['without a spec', { metadata: {}, status: {} }],
  ['with a field after the status', { metadata: {}, spec: { a: 1 }, status: {}, more: 1 }],
])('an object %s is not split', (_, object) => {
  const parts = partsOf(JSON.stringify(object))
  expect(parts === undefined || parts.outline.status === undefined).toBe(true)
})
