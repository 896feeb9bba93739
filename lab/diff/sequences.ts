/**
 * Plays random sequences of requests against an Edgeplane server and kube-apiserver, and compares the responses: each sequence
 * creates an object, then updates, patches, applies, reads and deletes it in all formats.
 *
 *   npm run differential:sequences -- --dir DIR --reference URL --reference-token T [--server URL --token T]
 *     [--resources pods,deployments.apps|custom] [--count 5] [--length 30] [--seed N] [--lanes 4]
 *
 * The sequences are scenarios as in test/differential/scenarios, which DIR keeps with the responses of both servers: one that shows
 * a difference can become a test.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { randomFrom } from './generated/random.ts'
import { startServer } from './own-server.ts'
import { differenceOf, type Recorded } from './sequences/comparison.ts'
import { customSubject } from './sequences/definitions.ts'
import { Requests, type Step } from './sequences/requests.ts'
import { type Subject, subjects } from './sequences/subjects.ts'

const { values } = parseArgs({
  options: {
    dir: { type: 'string' },
    resources: { type: 'string', default: '' },
    count: { type: 'string', default: '5' },
    length: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '4' },
    server: { type: 'string' },
    token: { type: 'string', default: '' },
    reference: { type: 'string', default: '' },
    'reference-token': { type: 'string', default: '' },
  },
})
if (values.dir === undefined || values.reference === '') throw new Error('--dir and --reference are needed')
const dir = values.dir
const lanes = Number(values.lanes)

interface Scenario {
  readonly name: string
  readonly about: string
  readonly steps: readonly Step[]
  readonly cleanup: readonly Step[]
}

/** Returns a number for a text, to give each sequence its own seed. */
const hashOf = (text: string): number => [...text].reduce((hash, each) => (hash * 31 + each.charCodeAt(0)) >>> 0, 7)

function scenarioOf(subject: Subject, number: number): Scenario {
  const name = `${subject.resource.split('.')[0]}-${values.seed}-${number}`
  const requests = new Requests(subject, randomFrom(hashOf(name)))
  const steps = [requests.first()]
  while (steps.length < Number(values.length)) steps.push(...requests.next())
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

function scenariosOf(): Scenario[] {
  const counted = Array.from({ length: Number(values.count) }, (_, at) => at)
  if (values.resources === 'custom') {
    return counted.map((at) => scenarioOf(customSubject(randomFrom(hashOf(`custom-${values.seed}-${at}`))), at))
  }
  const all = subjects(values.resources === '' ? [] : values.resources.split(','))
  return all.flatMap((subject) => counted.map((at) => scenarioOf(subject, at)))
}

/** Writes the scenarios, dealt out to the lanes. */
function write(): void {
  for (let lane = 0; lane < lanes; lane++) {
    const folder = join(dir, `scenarios-${lane}`)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const scenario of scenarios.filter((_, at) => at % lanes === lane))
      writeFileSync(join(folder, `${scenario.name}.json`), `${JSON.stringify(scenario, null, 1)}\n`)
  }
}

/** Plays the scenarios of a lane, and keeps the responses in a folder. */
async function play(lane: number, folder: string, url: string, token: string): Promise<void> {
  const program = join(import.meta.dirname, '..', 'test', 'differential', 'replay.mjs')
  const place = ['--scenarios', join(dir, `scenarios-${lane}`), '--golden', join(dir, folder)]
  const child = spawn(process.execPath, [program, 'record', '--server', url, '--token', token, '--insecure', ...place], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  })
  await once(child, 'exit')
}

function recordedIn(folder: string, scenario: string): Recorded[] {
  return JSON.parse(readFileSync(join(dir, folder, `${scenario}.json`), 'utf8')) as Recorded[]
}

/** Prints the first difference of each sequence: those after it may follow from it. */
function tell(): void {
  let different = 0
  let steps = 0
  for (const { name } of scenarios) {
    const theirs = recordedIn('golden', name)
    const ours = recordedIn('own', name)
    const at = theirs.findIndex((step, index) => differenceOf(step.answer, ours[index]?.answer) !== undefined)
    steps += at < 0 ? theirs.length : at
    if (at < 0) continue
    different++
    console.log(`${name} #${at} ${theirs[at]?.step}\n    ${differenceOf(theirs[at]?.answer, ours[at]?.answer)}`)
  }
  console.log(`${different} of ${scenarios.length} sequences differ, after ${steps} equal responses`)
  process.exitCode = different === 0 ? 0 : 1
}

const scenarios = scenariosOf()
write()
const own = values.server === undefined ? await startServer() : undefined
try {
  const { url, token } = own ?? { url: values.server ?? '', token: values.token }
  const each = Array.from({ length: lanes }, (_, lane) => lane)
  await Promise.all(each.map((lane) => play(lane, 'golden', values.reference, values['reference-token'])))
  await Promise.all(each.map((lane) => play(lane, 'own', url, token)))
  tell()
} finally {
  own?.stop()
}
