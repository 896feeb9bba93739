/**
 * Records the responses of a kube-apiserver with other admission plugins than the default ones to the scenarios for them.
 */
import { join, resolve } from 'node:path'
import { startBackend } from '../../conformance/plugins/backend.ts'
import { argumentsOf, sets } from '../../conformance/plugins/sets.ts'
import { record as recordScenario } from '../../conformance/replay.ts'
import { readScenario, scenarioNames } from '../../conformance/scenario.ts'
import { command, required, text, UsageError } from '../command.ts'
import { root } from '../root.ts'
import { referenceOptions, withReference } from '../servers.ts'

/** The port of the image policy's backend, which kube-apiserver calls while the responses are recorded. */
const backendPort = 18_999

/** Plays the scenarios of a set against a server, and records its responses. */
async function record(set: string, url: string, token: string): Promise<void> {
  const backend = await startBackend(backendPort)
  const folder = join(root, 'conformance/plugins', set)
  for (const name of scenarioNames(folder)) await recordScenario(folder, readScenario(folder, name), { url, token })
  backend.close()
}

export default command({
  about: 'Without --reference it prints the options that kube-apiserver needs.',
  options: {
    set: required(text('NAME', `the plugins: ${Object.keys(sets).join(', ')}`)),
    dir: text('DIR', "receives kube-apiserver's files", '.'),
    reference: text('URL|DIR', referenceOptions.reference.help),
    referenceToken: referenceOptions.referenceToken,
  },
  async run({ set: name, dir, reference, referenceToken }) {
    const set = Object.entries(sets).find(([each]) => each === name)?.[1]
    if (set === undefined) throw new UsageError(`--set is one of ${Object.keys(sets).join(', ')}`)
    const flags = argumentsOf(set, resolve(dir), backendPort)
    if (reference === undefined) return console.log(flags.join('\n'))
    await withReference({ reference, referenceToken }, ({ url, token }) => record(name, url, token), flags)
  },
})
