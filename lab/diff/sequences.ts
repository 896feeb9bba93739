/**
 * Plays random sequences of requests against an Edgeplane server and kube-apiserver, and compares the responses: each sequence
 * creates an object, then updates, patches, applies, reads and deletes it in all formats.
 *
 * The sequences are scenarios as in test/differential/scenarios, which a folder keeps with the responses of both servers: one that
 * shows a difference can become a test.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Endpoint } from '../../test/client.ts'
import { command, number, required, text, type Values } from '../command.ts'
import { randomFrom } from '../generated/random.ts'
import { root } from '../root.ts'
import { referenceOptions, serverOptions, withBoth } from '../servers.ts'
import { differenceOf, type Recorded } from './sequences/comparison.ts'
import { customSubject } from './sequences/definitions.ts'
import { Requests } from './sequences/requests.ts'
import type { Step } from './sequences/step.ts'
import { type Subject, subjects } from './sequences/subjects.ts'

const options = {
  dir: required(text('DIR', 'keeps the scenarios and the responses')),
  resources: text('NAME,…', 'pods,deployments.apps for example, or custom; all that can be stored by default', ''),
  count: number('N', 'the sequences of each resource', 5),
  length: number('N', 'the requests of a sequence', 30),
  seed: number('N', 'makes other sequences', 1),
  lanes: number('N', 'the sequences that run at once', 4),
  ...serverOptions,
  ...referenceOptions,
}

interface Scenario {
  readonly name: string
  readonly about: string
  readonly steps: readonly Step[]
  readonly cleanup: readonly Step[]
}

/** Returns a number for a text, to give each sequence its own seed. */
const hashOf = (text: string): number => [...text].reduce((hash, each) => (hash * 31 + each.charCodeAt(0)) >>> 0, 7)

function scenarioOf(subject: Subject, number: number, { seed, length }: Values<typeof options>): Scenario {
  const name = `${subject.resource.split('.')[0]}-${seed}-${number}`
  const requests = new Requests(subject, randomFrom(hashOf(name)))
  const steps = [requests.first()]
  while (steps.length < length) steps.push(...requests.next())
  const account = { do: `GET /api/v1/namespaces/\${NS}/serviceaccounts/default`, until: { status: 200 }, statusOnly: true }
  const [{ collection } = { collection: '' }] = subject.versions
  const path = `${collection}/${subject.name}`
  const free = { 'content-type': 'application/merge-patch+json' }
  return {
    name,
    about: `random requests for ${subject.resource}`,
    steps: [account, ...(subject.before ?? []), ...steps],
    cleanup: [
      { do: `PATCH ${path}`, headers: free, body: { metadata: { finalizers: null } } },
      { do: `DELETE ${path}?gracePeriodSeconds=0` },
      { do: `PATCH ${path}`, headers: free, body: { metadata: { finalizers: null } } },
      ...(subject.after ?? []),
    ],
  }
}

function scenariosOf(values: Values<typeof options>): Scenario[] {
  const { count, seed, resources } = values
  const counted = Array.from({ length: count }, (_, at) => at)
  if (resources === 'custom') {
    return counted.map((at) => scenarioOf(customSubject(randomFrom(hashOf(`custom-${seed}-${at}`))), at, values))
  }
  const all = subjects(resources === '' ? [] : resources.split(','))
  return all.flatMap((subject) => counted.map((at) => scenarioOf(subject, at, values)))
}

/** Writes the scenarios, dealt out to the lanes. */
function write(scenarios: readonly Scenario[], dir: string, lanes: number): void {
  for (let lane = 0; lane < lanes; lane++) {
    const folder = join(dir, `scenarios-${lane}`)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const scenario of scenarios.filter((_, at) => at % lanes === lane))
      writeFileSync(join(folder, `${scenario.name}.json`), `${JSON.stringify(scenario, null, 1)}\n`)
  }
}

/** Plays the scenarios of a lane, and keeps the responses in a folder. */
async function play({ url, token }: Endpoint, dir: string, lane: number, folder: string): Promise<void> {
  const program = join(root, 'test/differential/replay.mjs')
  const place = ['--scenarios', join(dir, `scenarios-${lane}`), '--golden', join(dir, folder)]
  const child = spawn(process.execPath, [program, 'record', '--server', url, '--token', token, '--insecure', ...place], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  })
  await once(child, 'exit')
}

function recordedIn(dir: string, folder: string, scenario: string): Recorded[] {
  return JSON.parse(readFileSync(join(dir, folder, `${scenario}.json`), 'utf8')) as Recorded[]
}

/** Prints the first difference of each sequence: those after it may follow from it. */
function tell(scenarios: readonly Scenario[], dir: string): void {
  let different = 0
  let steps = 0
  for (const { name } of scenarios) {
    const theirs = recordedIn(dir, 'golden', name)
    const ours = recordedIn(dir, 'own', name)
    const at = theirs.findIndex((step, index) => differenceOf(step.answer, ours[index]?.answer) !== undefined)
    steps += at < 0 ? theirs.length : at
    if (at < 0) continue
    different++
    console.log(`${name} #${at} ${theirs[at]?.step}\n    ${differenceOf(theirs[at]?.answer, ours[at]?.answer)}`)
  }
  console.log(`${different} of ${scenarios.length} sequences differ, after ${steps} equal responses`)
  process.exitCode = different === 0 ? 0 : 1
}

export default command({
  options,
  run: (values) =>
    withBoth(values, async (ours, theirs) => {
      const { dir, lanes } = values
      const scenarios = scenariosOf(values)
      write(scenarios, dir, lanes)
      const each = Array.from({ length: lanes }, (_, lane) => lane)
      await Promise.all(each.map((lane) => play(theirs, dir, lane, 'golden')))
      await Promise.all(each.map((lane) => play(ours, dir, lane, 'own')))
      tell(scenarios, dir)
    }),
})
