/** The moment at which a request first waits. */
import { expect, test } from 'vitest'
import { Suspension } from './suspension.ts'

test('preparations run once, when the request is about to wait', () => {
  const ran: string[] = []
  const suspension = new Suspension()
  suspension.whenBegun(() => ran.push('timer'))
  suspension.whenBegun(() => ran.push('work'))
  expect(ran).toEqual([])
  suspension.begin()
  suspension.begin()
  expect(ran).toEqual(['timer', 'work'])
})

test('a preparation of a request that waits already runs at once', () => {
  const ran: string[] = []
  const suspension = new Suspension()
  suspension.begin()
  suspension.whenBegun(() => ran.push('timer'))
  expect(ran).toEqual(['timer'])
})
