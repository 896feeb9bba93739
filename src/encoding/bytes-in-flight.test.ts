import { afterEach, expect, test, vi } from 'vitest'
import { BytesInFlight } from './bytes-in-flight.ts'

const bounds = { bytes: 100, waitingBytes: 50, longestWait: 15_000, lost: 120_000 }

afterEach(() => {
  vi.useRealTimers()
})

test('long responses begin while there is memory, others wait in the order of their arrival', async () => {
  const answers = new BytesInFlight(bounds)
  const first = await answers.take(60, 10)
  const order: string[] = []
  const second = Promise.resolve(answers.take(60, 10)).then((answer) => {
    order.push('second')
    return answer
  })
  // It would fit, but must not overtake.
  const third = Promise.resolve(answers.take(30, 10)).then(() => order.push('third'))
  await Promise.resolve()
  expect(order).toEqual([])
  first.release()
  await Promise.all([second, third])
  expect(order).toEqual(['second', 'third'])
})

test('a response larger than all memory begins if it is the only one', async () => {
  const answers = new BytesInFlight(bounds)
  const long = await answers.take(1000, 10)
  long.release()
  long.release()
  expect(answers.isShared).toBe(false)
  await answers.take(50, 10)
  await answers.take(50, 10)
  expect(answers.isShared).toBe(true)
})

test('429 TooManyRequests at once if waiting responses hold too many bytes', async () => {
  const answers = new BytesInFlight(bounds)
  const first = await answers.take(100, 10)
  const waiting = answers.take(10, 30)
  expect(() => answers.take(10, 30)).toThrow('Too many requests, please try again later.')
  first.release()
  await waiting
})

test('429 TooManyRequests after the longest wait', async () => {
  vi.useFakeTimers()
  const answers = new BytesInFlight(bounds)
  await answers.take(100, 10)
  const refused = expect(answers.take(10, 10)).rejects.toMatchObject({ code: 429, details: { retryAfterSeconds: 1 } })
  await vi.advanceTimersByTimeAsync(bounds.longestWait)
  await refused
})

test('the memory of a killed request is released if its reader was not seen for long', async () => {
  vi.useFakeTimers()
  const answers = new BytesInFlight(bounds)
  await answers.take(100, 10)
  await vi.advanceTimersByTimeAsync(bounds.lost + 1)
  await answers.take(100, 10)
  expect(answers.isShared).toBe(false)
})
