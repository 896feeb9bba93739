/**
 * Sends long texts, long lists and large maps in each field of each kind to a server of its own, and fails if the processor time
 * of a request grows faster than its size, if a request gets no answer, or if the server's memory grows.
 */
import { command, number, text } from '../command.ts'
import { exchange } from '../generated/exchange.ts'
import { servingProcess } from '../processes.ts'
import { withServer } from '../servers.ts'
import { timeCases } from './time/cases.ts'
import { TimeTrial } from './time/trial.ts'

const namespace = 'time'

export default command({
  about: 'Needs Linux, whose /proc tells the processor time. Takes four minutes.',
  options: {
    seed: number('N', 'the same one sends the same requests', 1),
    count: number('N', 'sends only so many of them', 1_000_000),
    only: text('TEXT', 'sends only those whose title contains it', ''),
  },
  run: ({ seed, count, only }) =>
    withServer(
      { server: undefined, token: '' },
      async (server) => {
        await exchange(server, 'POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: namespace } }))
        const trial = new TimeTrial({
          target: { url: new URL(server.url), token: server.token },
          pid: servingProcess(server.pid ?? 0),
          progress: (line) => console.log(line),
        })
        const cases = timeCases(seed, namespace)
          .filter(({ title }) => title.includes(only))
          .slice(0, count)
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
      },
      { onLog: () => undefined },
    ),
})
