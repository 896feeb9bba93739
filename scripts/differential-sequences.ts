/**
 * Plays random sequences of requests against an Edgeplane server and kube-apiserver, and compares the responses: each sequence
 * creates an object, then updates, patches, applies, reads and deletes it in all formats.
 *
 *   npm run differential:sequences -- --dir DIR --reference URL --reference-token T [--server URL --token T]
 *     [--resources pods,deployments.apps|custom] [--count 5] [--length 30] [--seed N] [--lanes 4]
 *
 * The sequences are scenarios as in conformance/scenarios, which DIR keeps with the responses of both servers: one that shows
 * a difference can become a test.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Access } from '../conformance/play.ts'
import { record } from '../conformance/replay.ts'
import { answeredSteps, readScenario, type Scenario, type Step, titleOf } from '../conformance/scenario.ts'
import { randomFrom } from './generated/random.ts'
import { startServer } from './own-server.ts'
import { differenceOf } from './sequences/comparison.ts'
import { customSubject } from './sequences/definitions.ts'
import { Requests } from './sequences/requests.ts'
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
const folders = { reference: join(dir, 'reference'), own: join(dir, 'own') }

/** Returns a number for a text, to give each sequence its own seed. */
const hashOf = (text: string): number => [...text].reduce((hash, each) => (hash * 31 + each.charCodeAt(0)) >>> 0, 7)

function scenarioOf(subject: Subject, number: number): Scenario {
  const name = `${subject.resource.split('.')[0]}-${values.seed}-${number}`
  const requests = new Requests(subject, randomFrom(hashOf(name)))
  const steps: Step[] = [requests.first()]
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

/** Plays the scenarios in lanes, and keeps them with the responses in a folder. */
async function play(folder: string, access: Access): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const rest = scenarios.values()
  const lane = async (): Promise<void> => {
    for (const scenario of rest) await record(folder, scenario, access)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** Prints the first difference of each sequence: those after it may follow from it. */
function tell(): void {
  let different = 0
  let steps = 0
  for (const { name } of scenarios) {
    const theirs = answeredSteps(readScenario(folders.reference, name))
    const ours = answeredSteps(readScenario(folders.own, name))
    const differences = theirs.map(({ answer }, index) => differenceOf(answer, ours[index]?.answer))
    const at = differences.findIndex((difference) => difference !== undefined)
    const step = theirs[at]
    steps += at < 0 ? theirs.length : at
    if (step === undefined) continue
    different++
    console.log(`${name} #${at} ${titleOf(step)}\n    ${differences[at]}`)
  }
  console.log(`${different} of ${scenarios.length} sequences differ, after ${steps} equal responses`)
  process.exitCode = different === 0 ? 0 : 1
}

const scenarios = scenariosOf()
const own = values.server === undefined ? await startServer() : undefined
try {
  const { url, token } = own ?? { url: values.server ?? '', token: values.token }
  await play(folders.reference, { url: values.reference, token: values['reference-token'] })
  await play(folders.own, { url, token })
  tell()
} finally {
  own?.stop()
}
