import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withResourceVersion } from './value-version.ts'

const replaced = (value: string): string =>
  withResourceVersion({ key: 'pods/a/x', resourceVersion: 5, value, labels: '' }, 17).value

test.each([
  ['{"metadata":{"resourceVersion":"5"}}', '{"metadata":{"resourceVersion":"17"}}'],
  [
    '{"metadata":{"name":"x","resourceVersion":"5","uid":"u"},"data":1}',
    '{"metadata":{"name":"x","resourceVersion":"17","uid":"u"},"data":1}',
  ],
  [
    '{"spec":{"metadata":{"resourceVersion":"5"}},"metadata":{"annotations":{"resourceVersion":"5"},"resourceVersion":"5"}}',
    '{"spec":{"metadata":{"resourceVersion":"5"}},"metadata":{"annotations":{"resourceVersion":"5"},"resourceVersion":"17"}}',
  ],
  [
    '{"metadata":{"annotations":{"a":"\\"resourceVersion\\":\\"5\\"","b\\\\":"}"},"resourceVersion":"5"}}',
    '{"metadata":{"annotations":{"a":"\\"resourceVersion\\":\\"5\\"","b\\\\":"}"},"resourceVersion":"17"}}',
  ],
  [
    '{"metadata":{"resourceVersion":"5"},"n":12345678901234567890}',
    '{"metadata":{"resourceVersion":"17"},"n":12345678901234567890}',
  ],
])('withResourceVersion changes metadata.resourceVersion alone: %s', (value, expected) => expect(replaced(value)).toBe(expected))

test.each([
  '{}',
  '{"metadata":{}}',
  '{"metadata":{"labels":{"resourceVersion":"5"}},"resourceVersion":"5"}',
  '',
  '{"metadata":"',
])('withResourceVersion leaves a value without metadata.resourceVersion unchanged: %s', (value) =>
  expect(replaced(value)).toBe(value),
)

test('withResourceVersion gives the same text as parsing and serializing', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.json()), fc.dictionary(fc.string(), fc.string()), (members, labels) => {
      const object = (resourceVersion: string) => ({
        data: members,
        metadata: { labels, resourceVersion, uid: 'u' },
        last: members,
      })
      expect(replaced(JSON.stringify(object('5')))).toBe(JSON.stringify(object('17')))
    }),
  )
})
