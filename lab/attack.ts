/**
 * Sends hostile requests to a server: recorded requests and each verb of each kind, randomly broken in path, query, headers,
 * body, media type and transfer. Fails if kube-apiserver would not give such a response: an internal error, a closed connection,
 * no response, internal information, growing memory or descriptors, or if another client waits for more than 500 ms.
 *
 *   npm run attack -- [--seed S] [--count N] [--from I] [--lanes L] [--server URL --token T]
 *     [--reference URL --reference-token T [--compare SHARE]] [--json FILE] [--only I]
 *
 * The same seed sends the same requests. Each finding is printed with its index and with a command that sends it again; --only I
 * sends only that request. With a reference, kube-apiserver is asked about each suspicious response; --compare 1 compares the
 * status of all responses with its own (0.1: of a tenth). Without --server it starts a server.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Bystander } from './attack/bystander.ts'
import { Campaign, type Plan } from './attack/campaign.ts'
import type { Outcome } from './attack/connection.ts'
import { growthOf } from './attack/growth.ts'
import { commandOf } from './attack/request.ts'
import { servingProcess } from './attack/server-process.ts'
import { startServer } from './own-server.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '20000' },
    from: { type: 'string', default: '0' },
    lanes: { type: 'string', default: '16' },
    only: { type: 'string' },
    server: { type: 'string' },
    token: { type: 'string', default: '' },
    reference: { type: 'string' },
    'reference-token': { type: 'string', default: '' },
    compare: { type: 'string', default: '0' },
    json: { type: 'string' },
  },
})

/** The server's log: for unexpected errors it contains more than the response. */
let log = ''
const own =
  values.server === undefined
    ? await startServer((text) => {
        log = (log + text).slice(-1_000_000)
      })
    : undefined

const plan: Plan = {
  seed: Number(values.seed),
  from: Number(values.from),
  count: Number(values.count),
  lanes: Number(values.lanes),
  server: own ?? { url: values.server ?? '', token: values.token },
  pid: own && servingProcess(own.pid),
  reference: values.reference === undefined ? undefined : { url: values.reference, token: values['reference-token'] },
  compared: Number(values.compare),
  progress: (text) => console.log(text),
}

const describe = ({ ending, answer, reason }: Outcome): string =>
  `${ending} ${answer.status} ${reason}\n${[...answer.headers].map(([name, value]) => `  ${name}: ${value}`).join('\n')}\n${answer.body}`

/** Returns the log entry for the error id in a response. */
function logged(detail: string): string {
  const id = /error id ([0-9a-f-]{36})/.exec(detail)?.[1]
  const at = id === undefined ? -1 : log.indexOf(`error ${id}`)
  return at < 0 ? '' : `    logged: ${log.slice(at, at + 1500)}\n`
}

async function replay(campaign: Campaign, index: number): Promise<void> {
  const { request, outcome, theirs } = await campaign.replay(index)
  console.log(commandOf(request, plan.server.url))
  console.log(`ours: ${describe(outcome)}\n${logged(outcome.answer.body.toString())}`)
  if (theirs !== undefined) console.log(`kube-apiserver: ${describe(theirs)}`)
}

/** The longest that another client may wait, in milliseconds, on a machine that does nothing else. */
const longestWait = 500

async function attack(campaign: Campaign): Promise<void> {
  const bystander = new Bystander(plan.server)
  bystander.start()
  await campaign.run()
  const waits = await bystander.stop()
  console.log(`another client waited ${waits.median} ms (median), ${waits.longest} ms at most`)
  const { summary, findings } = campaign
  const growth = growthOf(summary.taken)
  const numbers = summary.toJSON()
  console.log(JSON.stringify(numbers, null, 1))
  for (const { signature, count, index, detail, command } of findings.values()) {
    console.log(
      `\n${signature}\n    ${count} times, first --seed ${plan.seed} --only ${index}\n    ${detail}\n${logged(detail)}    ${command}`,
    )
  }
  for (const text of growth) console.log(text)
  const found = [...findings.values()].map(({ signature, count, index }) => ({ signature, count, index }))
  const result = { seed: plan.seed, from: plan.from, waits, ...numbers, growth, findings: found }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result, null, 1)}\n`)
  if (findings.size + growth.length > 0 || waits.longest > longestWait) process.exitCode = 1
}

try {
  const campaign = new Campaign(plan)
  await (values.only === undefined ? attack(campaign) : replay(campaign, Number(values.only)))
} finally {
  own?.stop()
}
