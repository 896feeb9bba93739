/**
 * Replays scenarios against a kube-apiserver, and writes its answers into them. With --from it takes scenarios with answers from a
 * folder instead: DIR/scenarios/FILE.json and DIR/golden/NAME.json.
 */
import { join } from 'node:path'
import { readPairs } from '../../conformance/pairs.ts'
import { record } from '../../conformance/replay.ts'
import { readScenario, type Scenario, scenarioNames, writeScenario } from '../../conformance/scenario.ts'
import { command, text, UsageError } from '../command.ts'
import { root } from '../root.ts'
import { referenceOptions, withReference } from '../servers.ts'

const folder = join(root, 'conformance/scenarios')

export default command({
  options: {
    only: text('NAME', 'those whose names begin so', ''),
    area: text('NAME', 'the scenarios of an area alone: crud, …'),
    from: text('DIR', 'has scenarios and answers apart'),
    reference: text('URL|DIR', referenceOptions.reference.help),
    referenceToken: referenceOptions.referenceToken,
  },
  async run({ only, area, from, reference, referenceToken }) {
    const isChosen = (scenario: Scenario): boolean =>
      scenario.name.startsWith(only) && (area === undefined || scenario.area === area)
    if (from !== undefined) {
      for (const scenario of readPairs(from).filter(isChosen)) writeScenario(folder, scenario)
      return
    }
    if (reference === undefined) throw new UsageError('--reference or --from is needed')
    await withReference({ reference, referenceToken }, async ({ url, token }) => {
      for (const scenario of scenarioNames(folder).map((name) => readScenario(folder, name))) {
        if (!isChosen(scenario)) continue
        await record(folder, scenario, { url, token })
        console.log(`recorded ${scenario.name}`)
      }
    })
  },
})
