/**
 * Replays scenarios against a kube-apiserver, and writes its answers into them:
 *
 *   npm run record:scenarios -- --reference URL --reference-token T [--only NAME] [--area crud]
 *
 * With `--from DIR` it takes scenarios with answers from there instead: DIR/scenarios/FILE.json and DIR/golden/NAME.json.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readPairs } from '../conformance/pairs.ts'
import { record } from '../conformance/replay.ts'
import { readScenario, scenarioNames, writeScenario } from '../conformance/scenario.ts'

const folder = join(import.meta.dirname, '..', 'conformance', 'scenarios')

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    area: { type: 'string' },
    from: { type: 'string' },
    reference: { type: 'string' },
    'reference-token': { type: 'string', default: '' },
  },
})

const isChosen = ({ name, area }: { readonly name: string; readonly area?: string }): boolean =>
  name.startsWith(values.only) && (values.area === undefined || values.area === area)

if (values.from !== undefined) {
  for (const scenario of readPairs(values.from).filter(isChosen)) writeScenario(folder, scenario)
} else if (values.reference !== undefined) {
  const access = { url: values.reference, token: values['reference-token'] }
  for (const scenario of scenarioNames(folder).map((name) => readScenario(folder, name))) {
    if (!isChosen(scenario)) continue
    await record(folder, scenario, access)
    console.log(`recorded ${scenario.name}`)
  }
} else {
  throw new Error('--reference is the URL of a kube-apiserver')
}
