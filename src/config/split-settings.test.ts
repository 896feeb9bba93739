import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splittableVariables } from './settings.ts'
import { joinSettings, splitSetting } from './split-settings.ts'

const join = <T extends object>(environment: T): T => joinSettings(environment, splittableVariables)

test('a setting that is split into variables of 5 KB is read as it was written', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.integer({ min: 4, max: 50 }), (text, bytes) => {
      const parts = splitSetting('AUDIT_POLICY', text, bytes)
      expect(Math.max(...Object.values(parts).map((part) => Buffer.byteLength(part)))).toBeLessThanOrEqual(bytes)
      expect(join({ ...parts, OTHER: 'x' })).toMatchObject({ AUDIT_POLICY: text, OTHER: 'x' })
    }),
    { numRuns: 30 },
  )
})

test('variables that are not split stay as they are', () => {
  const environment = { AUDIT_POLICY: '{}' }
  expect(join(environment)).toBe(environment)
})

test.each([
  [{ AUDIT_POLICY_PARTS: '2', AUDIT_POLICY_1: 'a' }, 'AUDIT_POLICY_2 is missing'],
  [{ AUDIT_POLICY_PARTS: '101' }, 'must be a number from 0 to 100'],
  [{ AUDIT_POLICY_PARTS: 'many' }, 'must be a number from 0 to 100'],
  [{ AUDIT_POLICY_PARTS: '0', AUDIT_POLICY: 'x' }, 'are both set'],
])('%j is refused', (environment, message) => {
  expect(() => join(environment)).toThrow(message)
})

test('a part of an earlier, longer value is ignored', () => {
  expect(join({ STATIC_TOKENS_PARTS: '1', STATIC_TOKENS_1: '[]', STATIC_TOKENS_2: 'old' })).toMatchObject({
    STATIC_TOKENS: '[]',
  })
})
