/**
 * Opens silent connections from several processes as fast as possible, and prints how long another client had to wait:
 *
 *   node test/soak/connections.ts [--processes 3] [--connections 15000] [--seconds 30]
 */
import { fork } from 'node:child_process'
import { connect } from 'node:net'
import { parseArgs } from 'node:util'
import { startServer } from '../server.ts'

const { values } = parseArgs({
  options: {
    processes: { type: 'string', default: '3' },
    connections: { type: 'string', default: '15000' },
    seconds: { type: 'string', default: '30' },
    port: { type: 'string' },
  },
})

/** Keeps this number of connections open; those that the server closes are opened again. */
function attack(port: number, most: number): void {
  let open = 0
  const more = (): void => {
    for (let i = 0; i < 500 && open < most; i++) {
      open++
      connect(port, '127.0.0.1')
        .on('error', () => undefined)
        .on('close', () => open--)
    }
    setTimeout(more, 5)
  }
  more()
}

async function measure(): Promise<void> {
  const server = await startServer()
  const attackers = Array.from({ length: Number(values.processes) }, () =>
    fork(import.meta.filename, ['--port', String(server.port), '--connections', values.connections]),
  )
  let [answers, errors, longest, last] = [0, 0, 0, performance.now()]
  for (const end = last + Number(values.seconds) * 1000; performance.now() < end; ) {
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
}

if (values.port === undefined) await measure()
else attack(Number(values.port), Number(values.connections))
