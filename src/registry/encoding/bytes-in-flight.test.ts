import { afterEach, expect, test, vi } from 'vitest'
import { BytesInFlight } from './bytes-in-flight.ts'

const bounds = { bytes: 100, waitingBytes: 50, longestWait: 15_000, lost: 120_000 }

afterEach(() => {
  vi.useRealTimers()
})

test('answers begin while there is room, others when one has ended, in the order of their coming', async () => {
  const answers = new BytesInFlight(bounds)
  const first = await answers.take(60, 10)
  const order: string[] = []
  const second = Promise.resolve(answers.take(60, 10)).then((answer) => {
    order.push('second')
    return answer
  })
  // It would fit, and does not go in front.
  const third = Promise.resolve(answers.take(30, 10)).then(() => order.push('third'))
  await Promise.resolve()
  expect(order).toEqual([])
  first.release()
  await Promise.all([second, third])
  expect(order).toEqual(['second', 'third'])
})

test('an answer that is longer than all room begins when it is alone', async () => {
  const answers = new BytesInFlight(bounds)
  const long = await answers.take(1000, 10)
  long.release()
  long.release()
  expect(answers.isShared).toBe(false)
  await answers.take(50, 10)
  await answers.take(50, 10)
  expect(answers.isShared).toBe(true)
})

test('who holds too much to wait is refused at once', async () => {
  const answers = new BytesInFlight(bounds)
  await answers.take(100, 10)
  void answers.take(10, 30)
  expect(() => answers.take(10, 30)).toThrow('Too many requests, please try again later.')
})

test('who has waited for long is refused', async () => {
  vi.useFakeTimers()
  const answers = new BytesInFlight(bounds)
  await answers.take(100, 10)
  const refused = expect(answers.take(10, 10)).rejects.toMatchObject({ code: 429, details: { retryAfterSeconds: 1 } })
  await vi.advanceTimersByTimeAsync(bounds.longestWait)
  await refused
})

test('what was ended by force gives its room back, when its reader has not been seen for long', async () => {
  vi.useFakeTimers()
  const answers = new BytesInFlight(bounds)
  await answers.take(100, 10)
  await vi.advanceTimersByTimeAsync(bounds.lost + 1)
  await answers.take(100, 10)
  expect(answers.isShared).toBe(false)
})
