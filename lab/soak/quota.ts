/** Kills a server under load of writers that share a quota. */
import { killUnderQuota } from '../../test/faults/quota.ts'
import type { TestServer } from '../../test/server.ts'
import { command } from '../command.ts'

const rounds = 20

export default command({
  about: 'Prints each round, and fails if the quota was exceeded or its use is not exact after the next start.',
  async run() {
    let server: TestServer | undefined
    const results = await killUnderQuota(rounds, (started) => {
      server = started
    })
    for (const [round, { used, objects, limit, settledAfter }] of results.entries()) {
      console.log(`round ${round + 1}: used ${used}, objects ${objects}, limit ${limit}, exact after ${settledAfter} ms`)
    }
    await server?.stop()
    if (results.some(({ used, objects, limit }) => used !== objects || objects > limit)) process.exitCode = 1
  },
})
