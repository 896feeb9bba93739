import { expect, test } from 'vitest'
import { newUid } from './uid.ts'

test('newUid returns random UUIDs of version 4', () => {
  expect(newUid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(newUid()).not.toBe(newUid())
})
