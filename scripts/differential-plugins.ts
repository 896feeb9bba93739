/**
 * Replays the scenarios for servers with other admission plugins than the default ones against a kube-apiserver, and records its
 * responses:
 *
 *   npm run differential:plugins -- --set NAME --dir DIR                                        prints the flags for kube-apiserver
 *   npm run differential:plugins -- --set NAME --dir DIR --reference URL --reference-token T    records
 */
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startBackend } from '../conformance/plugins/backend.ts'
import { argumentsOf, sets } from '../conformance/plugins/sets.ts'
import { record } from '../conformance/replay.ts'
import { readScenario, scenarioNames } from '../conformance/scenario.ts'

/** The port of the image policy's backend, which kube-apiserver calls while the responses are recorded. */
const backendPort = 18_999

const { values } = parseArgs({
  options: {
    set: { type: 'string', default: '' },
    dir: { type: 'string', default: '.' },
    reference: { type: 'string' },
    'reference-token': { type: 'string', default: '' },
  },
})
const found = Object.entries(sets).find(([name]) => name === values.set)
if (found === undefined) throw new Error(`--set is one of ${Object.keys(sets).join(', ')}`)
const [name, set] = found

const folder = join(import.meta.dirname, '..', 'conformance', 'plugins', name)
if (values.reference === undefined) {
  console.log(argumentsOf(set, resolve(values.dir), backendPort).join('\n'))
} else {
  const backend = await startBackend(backendPort)
  const access = { url: values.reference, token: values['reference-token'] }
  for (const scenario of scenarioNames(folder)) await record(folder, readScenario(folder, scenario), access)
  backend.close()
}
