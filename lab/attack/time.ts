/**
 * Sends long texts, long lists and large maps in each field of each kind to a server of its own, and fails if the processor time
 * of a request grows faster than its size, if a request gets no answer, or if the server's memory grows.
 *
 *   npm run attack:time -- [--seed S] [--count N] [--only TEXT]
 *
 * The same seed sends the same requests. --count sends only as many of them, --only those whose title contains the text. It needs
 * Linux, whose /proc tells the processor time.
 */
import { parseArgs } from 'node:util'
import { servingProcess } from './attack/server-process.ts'
import { timeCases } from './attack/time/cases.ts'
import { TimeTrial } from './attack/time/trial.ts'
import { exchange } from './generated/exchange.ts'
import { startServer } from './own-server.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '1000000' },
    only: { type: 'string', default: '' },
  },
})

const namespace = 'time'
const server = await startServer(() => undefined)
try {
  await exchange(server, 'POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: namespace } }))
  const trial = new TimeTrial({
    target: { url: new URL(server.url), token: server.token },
    pid: servingProcess(server.pid),
    progress: (text) => console.log(text),
  })
  const cases = timeCases(Number(values.seed), namespace)
    .filter(({ title }) => title.includes(values.only))
    .slice(0, Number(values.count))
  const began = performance.now()
  for (const [index, timeCase] of cases.entries()) {
    if (index % 250 === 0) console.log(`${index} of ${cases.length} cases`)
    await trial.try(timeCase)
  }
  await trial.trySlowest()
  trial.close()
  const seconds = Math.round((performance.now() - began) / 1000)
  const wait = Math.round(trial.longestWait)
  console.log(`${cases.length} cases in ${seconds} s, ${trial.findings} findings; another client waited up to ${wait} ms`)
  if (trial.findings > 0) process.exitCode = 1
} finally {
  server.stop()
}
