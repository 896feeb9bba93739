/**
 * Plays random sequences of requests against an Edgeplane server and kube-apiserver, and compares the responses: each sequence
 * creates an object, then updates, patches, applies, reads and deletes it in all formats.
 *
 * The sequences are scenarios as in conformance/scenarios, which a folder keeps with the responses of both servers: one that shows
 * a difference can become a test.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Access } from '../../conformance/play.ts'
import { record } from '../../conformance/replay.ts'
import { answeredSteps, readScenario, type Scenario, type Step, titleOf } from '../../conformance/scenario.ts'
import { command, number, required, text, type Values } from '../command.ts'
import { randomFrom } from '../generated/random.ts'
import { referenceOptions, serverOptions, withBoth } from '../servers.ts'
import { differenceOf } from './sequences/comparison.ts'
import { customSubject } from './sequences/definitions.ts'
import { Requests } from './sequences/requests.ts'
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

/** Returns a number for a text, to give each sequence its own seed. */
const hashOf = (text: string): number => [...text].reduce((hash, each) => (hash * 31 + each.charCodeAt(0)) >>> 0, 7)

function scenarioOf(subject: Subject, number: number, { seed, length }: Values<typeof options>): Scenario {
  const name = `${subject.resource.split('.')[0]}-${seed}-${number}`
  const requests = new Requests(subject, randomFrom(hashOf(name)))
  const steps: Step[] = [requests.first()]
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

/** Plays the scenarios in lanes, and keeps them with the responses in a folder. */
async function play(scenarios: readonly Scenario[], folder: string, access: Access, lanes: number): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const rest = scenarios.values()
  const lane = async (): Promise<void> => {
    for (const scenario of rest) await record(folder, scenario, access)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** Prints the first difference of each sequence: those after it may follow from it. */
function tell(scenarios: readonly Scenario[], folders: { readonly reference: string; readonly own: string }): void {
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

export default command({
  options,
  run: (values) =>
    withBoth(values, async (ours, theirs) => {
      const { dir, lanes } = values
      const scenarios = scenariosOf(values)
      const folders = { reference: join(dir, 'reference'), own: join(dir, 'own') }
      await play(scenarios, folders.reference, theirs, lanes)
      await play(scenarios, folders.own, ours, lanes)
      tell(scenarios, folders)
    }),
})
