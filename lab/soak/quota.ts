/**
 * Kills a server 20 times under load of writers that share a quota:
 *
 *   npm run soak:quota
 *
 * Prints each round, and exits with 1 if the quota was exceeded or its use is not exact after the next start.
 */
import { killUnderQuota } from '../faults/quota.ts'
import type { TestServer } from '../server.ts'

const rounds = 20
let server: TestServer | undefined
const results = await killUnderQuota(rounds, (started) => {
  server = started
})
for (const [round, { used, objects, limit, settledAfter }] of results.entries()) {
  console.log(`round ${round + 1}: used ${used}, objects ${objects}, limit ${limit}, exact after ${settledAfter} ms`)
}
await server?.stop()
if (results.some(({ used, objects, limit }) => used !== objects || objects > limit)) process.exitCode = 1
