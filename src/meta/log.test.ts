import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ApiError } from './errors.ts'
import { errorLine } from './log.ts'

test('an error is logged in one line of at most 2,000 characters', () => {
  const line = errorLine('alarm', new Error(`first\nsecond\u2028third ${'x'.repeat(100_000)}`))
  expect(line).toMatch(/^alarm: Error: first second third x+/)
  expect(line.split(/[\r\n\u2028]/)).toHaveLength(1)
  expect(line.length).toBeLessThanOrEqual(2001)
})

test('tokens and private keys are not logged', () => {
  const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJib3QifQ.c2lnbmF0dXJl'
  const key = '-----BEGIN PRIVATE KEY-----\nMIGHAgEA\n-----END PRIVATE KEY-----'
  const line = errorLine('webhook', new Error(`Bearer abc.def-123 was refused, ${jwt} too, and ${key}`))
  for (const secret of ['abc.def', 'c2lnbmF0dXJl', 'MIGHAgEA']) expect(line).not.toContain(secret)
})

test('the details of an ApiError are not logged', () => {
  const error = new ApiError(422, 'Invalid', 'bad', { causes: [{ message: 'a part of the object' }] })
  expect(errorLine('an event', error)).not.toContain('a part of the object')
})

test('the server logs errors in this way only', () => {
  const source = join(import.meta.dirname, '..')
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\.test)\.ts$/.test(file))
  const others = files.filter((file) => !file.startsWith('launcher/') && file !== 'meta/log.ts')
  const calls = others.flatMap((file) =>
    [...readFileSync(join(source, file), 'utf8').matchAll(/^(?! *\*).*console\.(?!log\(line\))\w+/gm)].map(
      ([call]) => `${file}: ${call.trim()}`,
    ),
  )
  expect(calls).toEqual([])
})
