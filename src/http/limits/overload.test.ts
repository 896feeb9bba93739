import { describe, expect, test } from 'vitest'
import { errorStatus } from '../status.ts'
import { overloadError } from './overload.ts'

const thrown = (message: string, marks: object = {}): Error => Object.assign(new Error(message), { remote: true, ...marks })

describe('errors of the Workers runtime', () => {
  test.each([
    ['marked as overloaded', thrown('anything', { overloaded: true }), 429, 'TooManyRequests'],
    ['overloaded and retryable', thrown('anything', { overloaded: true, retryable: true }), 429, 'TooManyRequests'],
    ['an object that was reset', thrown('anything', { durableObjectReset: true }), 503, 'ServiceUnavailable'],
    ['a lost connection', thrown('Network connection lost.', { retryable: true }), 503, 'ServiceUnavailable'],
    ['too many in the queue', thrown('Durable Object is overloaded. Too many requests queued.'), 429, 'TooManyRequests'],
    ['too long in the queue', thrown('Durable Object is overloaded. Requests queued for too long.'), 429, 'TooManyRequests'],
    ['out of time', thrown('Durable Object exceeded its CPU time limit and was reset.'), 503, 'ServiceUnavailable'],
    ['out of memory', thrown('Durable Object exceeded its memory limit and was reset.'), 503, 'ServiceUnavailable'],
    ['a new version', thrown('Durable Object reset because its code was updated.'), 503, 'ServiceUnavailable'],
    [
      'storage that hangs',
      thrown('Durable Object storage operation exceeded timeout which caused object to be reset.'),
      503,
      'ServiceUnavailable',
    ],
  ])('%s: 429 or 503 with Retry-After', async (_name, error, code, reason) => {
    expect(overloadError(error)).toMatchObject({ code, reason })
    const response = errorStatus(error, (status) => ({ body: JSON.stringify(status), headers: {} }))
    expect([response.status, response.headers.get('retry-after')]).toEqual([code, '1'])
    expect(await response.json()).toMatchObject({ kind: 'Status', reason, details: { retryAfterSeconds: 1 }, code })
  })

  test.each([
    ['a fault of ours', new TypeError('x is undefined')],
    ['no error', 'text'],
    ['other', thrown('boom')],
  ])('%s is not translated', (_name, error) => {
    expect(overloadError(error)).toBeUndefined()
  })
})
