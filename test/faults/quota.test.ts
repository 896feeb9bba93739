/** Power failures: quotas are never exceeded, and their use is exact after the next start. */
import { afterEach, expect, test } from 'vitest'
import type { TestServer } from '../server.ts'
import { killUnderQuota } from './quota.ts'

let server: TestServer | undefined
afterEach(async () => {
  await server?.stop()
})

test('the use of a quota is exact after the server was killed under load, and the quota was not exceeded', async () => {
  const results = await killUnderQuota(3, (started) => {
    server = started
  })
  for (const { used, objects, limit } of results) {
    expect(used).toBe(objects)
    expect(objects).toBeLessThanOrEqual(limit)
  }
}, 90_000)
