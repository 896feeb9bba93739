/**
 * Sends hostile requests to a server: recorded requests and each verb of each kind, randomly broken in path, query, headers,
 * body, media type and transfer. Fails if kube-apiserver would not give such a response: an internal error, a closed connection,
 * no response, internal information, growing memory or descriptors, or if another client waits for more than 500 ms.
 */
import { writeFileSync } from 'node:fs'
import type { Client } from '../test/client.ts'
import { Bystander } from './attack/bystander.ts'
import { Campaign, type Plan } from './attack/campaign.ts'
import type { Outcome } from './attack/connection.ts'
import { growthOf } from './attack/growth.ts'
import { commandOf } from './attack/request.ts'
import { command, number, text, type Values } from './command.ts'
import { servingProcess } from './processes.ts'
import { referenceOptions, type Subject, serverOptions, withReference, withServer } from './servers.ts'

const options = {
  seed: number('N', 'the same one sends the same requests', 1),
  count: number('N', 'the requests', 20_000),
  from: number('N', 'the index of the first one', 0),
  lanes: number('N', 'the requests that are sent at once', 16),
  only: number('N', 'sends the request with this index alone, and prints the response'),
  compare: number('SHARE', 'the share of all responses whose status is compared, from 0 to 1', 0),
  json: text('FILE', 'receives the result'),
  ...serverOptions,
  reference: text('URL|DIR', 'asks kube-apiserver about each suspicious response: a running one, or the folder of start.mjs'),
  referenceToken: referenceOptions.referenceToken,
}

/** A campaign with its settings. */
interface Run {
  readonly plan: Plan
  readonly campaign: Campaign
  /** Returns the log entry for the error id in a response. */
  readonly logged: (detail: string) => string
}

/** The server's log: for unexpected errors it contains more than the response. */
class Log {
  #text = ''

  add(text: string): void {
    this.#text = (this.#text + text).slice(-1_000_000)
  }

  /** Returns the entry for the error id in a response. */
  entryOf(detail: string): string {
    const id = /error id ([0-9a-f-]{36})/.exec(detail)?.[1]
    const at = id === undefined ? -1 : this.#text.indexOf(`error ${id}`)
    return at < 0 ? '' : `    logged: ${this.#text.slice(at, at + 1500)}\n`
  }
}

const describe = ({ ending, answer, reason }: Outcome): string =>
  `${ending} ${answer.status} ${reason}\n${[...answer.headers].map(([name, value]) => `  ${name}: ${value}`).join('\n')}\n${answer.body}`

async function replay({ plan, campaign, logged }: Run, index: number): Promise<void> {
  const { request, outcome, theirs } = await campaign.replay(index)
  console.log(commandOf(request, plan.server.url))
  console.log(`ours: ${describe(outcome)}\n${logged(outcome.answer.body.toString())}`)
  if (theirs !== undefined) console.log(`kube-apiserver: ${describe(theirs)}`)
}

/** The longest that another client may wait, in milliseconds, on a machine that does nothing else. */
const longestWait = 500

async function attack({ plan, campaign, logged }: Run, json: string | undefined): Promise<void> {
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
  const listed = [...findings.values()].map(({ signature, count, index }) => ({ signature, count, index }))
  const result = { seed: plan.seed, from: plan.from, waits, ...numbers, growth, findings: listed }
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(result, null, 1)}\n`)
  if (findings.size + growth.length > 0 || waits.longest > longestWait) process.exitCode = 1
}

async function run(values: Values<typeof options>): Promise<void> {
  const { seed, from, count, lanes, compare, only, json, reference, referenceToken } = values
  const log = new Log()
  const against = async (server: Subject, asked: Client | undefined): Promise<void> => {
    const pid = server.pid && servingProcess(server.pid)
    const progress = (line: string): void => console.log(line)
    const plan: Plan = { seed, from, count, lanes, server, pid, reference: asked, compared: compare, progress }
    const campaign = { plan, campaign: new Campaign(plan), logged: (detail: string) => log.entryOf(detail) }
    await (only === undefined ? attack(campaign, json) : replay(campaign, only))
  }
  const onServer = (asked: Client | undefined): Promise<void> =>
    withServer(values, (server) => against(server, asked), { onLog: (line) => log.add(line) })
  await (reference === undefined ? onServer(undefined) : withReference({ reference, referenceToken }, onServer))
}

export default command({
  about: `Fails if the server returns a 5xx of its own, does not respond, cuts a connection, grows or lets another client wait.
Each finding is printed with its index (--only) and with a command that sends it again.`,
  options,
  run,
})
