/** Opens silent connections from several processes as fast as possible, and prints how long another client had to wait. */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { startServer } from '../../test/server.ts'
import { command, number } from '../command.ts'

export default command({
  options: {
    processes: number('N', 'the processes that open connections', 3),
    connections: number('N', 'the open connections of each', 15_000),
    seconds: number('N', 'the time', 30),
  },
  async run({ processes, connections, seconds }) {
    const server = await startServer()
    const load = join(import.meta.dirname, 'connections/load.ts')
    const attackers = Array.from({ length: processes }, () => fork(load, [String(server.port), String(connections)]))
    let [answers, errors, longest, last] = [0, 0, 0, performance.now()]
    for (const end = last + seconds * 1000; performance.now() < end; ) {
      try {
        await server.send('/api/v1/namespaces/default')
        answers++
        longest = Math.max(longest, performance.now() - last)
        last = performance.now()
      } catch {
        errors++
      }
      await new Promise((done) => setTimeout(done, 50))
    }
    for (const attacker of attackers) attacker.kill('SIGKILL')
    console.log(JSON.stringify({ answers, errors, longestMillisecondsWithoutAnswer: Math.round(longest) }))
    await server.stop()
  },
})
