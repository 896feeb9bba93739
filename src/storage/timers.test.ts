import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Timers } from './timers.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('no timer of the runtime is left when all deadlines are cancelled', () => {
  const timers = new Timers()
  const deadlines = [10, 20_000, 30_000].map((after) => timers.after(after, () => undefined))
  expect(vi.getTimerCount()).toBe(1)
  for (const deadline of deadlines) deadline.cancel()
  expect(vi.getTimerCount()).toBe(0)
})

test('a deadline runs once, also after others were cancelled, before and at its time', () => {
  const timers = new Timers()
  const ran: string[] = []
  const first = timers.after(10, () => ran.push('first'))
  const second = timers.after(20, () => ran.push('second'))
  timers.after(30, () => ran.push('third'))
  first.cancel()
  first.cancel()
  vi.advanceTimersByTime(20)
  expect(ran).toEqual(['second'])
  second.cancel()
  timers.after(5, () => ran.push('fourth'))
  vi.advanceTimersByTime(10)
  expect(ran).toEqual(['second', 'fourth', 'third'])
  expect(vi.getTimerCount()).toBe(0)
})

test('a deadline that is set after all others were cancelled runs at its time', () => {
  const timers = new Timers()
  timers.after(10_000, () => undefined).cancel()
  let ran = 0
  timers.after(50, () => ran++)
  vi.advanceTimersByTime(49)
  expect(ran).toBe(0)
  vi.advanceTimersByTime(1)
  expect(ran).toBe(1)
})
