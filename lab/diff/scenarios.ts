/**
 * Replays the recorded scenarios against a server. Prints, per scenario, the number of steps whose response equals kube-apiserver's,
 * then the shares of equal responses and status codes.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Access } from '../../conformance/play.ts'
import { check, type DifferingStep, type Verdict } from '../../conformance/replay.ts'
import { readScenario, type Scenario, scenarioNames } from '../../conformance/scenario.ts'
import { command, flag, text, type Values } from '../command.ts'
import { root } from '../root.ts'
import { serverOptions, withServer } from '../servers.ts'

const folder = join(root, 'conformance/scenarios')

const options = {
  area: text('NAME', 'the scenarios of an area alone: crud, …'),
  only: text('NAME', 'those whose names begin so', ''),
  json: text('FILE', 'receives the differences'),
  verbose: flag('prints each difference'),
  ...serverOptions,
}

const chosen = ({ area, only }: Values<typeof options>): Scenario[] =>
  scenarioNames(folder)
    .filter((name) => name.startsWith(only))
    .map((name) => readScenario(folder, name))
    .filter((scenario) => area === undefined || scenario.area === area)

function print(name: string, { steps, differing }: Verdict, verbose: boolean): void {
  if (verbose) for (const { step, title, difference } of differing) console.log(`  ${name} #${step} ${title}\n    ${difference}`)
  console.log(`${differing.length === 0 ? 'ok  ' : 'DIFF'} ${name} ${steps - differing.length}/${steps}`)
}

const share = (part: number, whole: number): string => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)}%`)

async function replay(access: Access, values: Values<typeof options>): Promise<void> {
  const differing: DifferingStep[] = []
  let [steps, equalStatuses] = [0, 0]
  for (const scenario of chosen(values)) {
    const verdict = await check(scenario, access)
    print(scenario.name, verdict, values.verbose)
    differing.push(...verdict.differing)
    steps += verdict.steps
    equalStatuses += verdict.equalStatuses
  }
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(differing, null, 1))
  console.log(`equal answers: ${share(steps - differing.length, steps)}`)
  console.log(`equal status codes: ${share(equalStatuses, steps)}`)
  if (differing.length > 0) process.exitCode = 1
}

export default command({
  options,
  run: (values) => withServer(values, ({ url, token }) => replay({ url, token }, values)),
})
