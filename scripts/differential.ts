/**
 * Starts the server with temporary data and replays the recorded scenarios against it:
 *
 *   npm run differential -- [--area crud] [--only NAME] [--verbose] [--json FILE]
 *
 * Prints, per scenario, the number of steps whose response equals kube-apiserver's, then the shares of equal responses and status
 * codes. `--server URL --token T` replays against a running server.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Access } from '../conformance/play.ts'
import { check, type DifferingStep, type Verdict } from '../conformance/replay.ts'
import { readScenario, scenarioNames } from '../conformance/scenario.ts'
import { startServer } from './own-server.ts'

const folder = join(import.meta.dirname, '..', 'conformance', 'scenarios')

const { values } = parseArgs({
  options: {
    area: { type: 'string' },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    server: { type: 'string' },
    token: { type: 'string', default: '' },
  },
})

const scenarios = scenarioNames(folder)
  .filter((name) => name.startsWith(values.only))
  .map((name) => readScenario(folder, name))
  .filter(({ area }) => values.area === undefined || values.area === area)

function print(name: string, { steps, differing }: Verdict): void {
  if (values.verbose)
    for (const { step, title, difference } of differing) console.log(`  ${name} #${step} ${title}\n    ${difference}`)
  console.log(`${differing.length === 0 ? 'ok  ' : 'DIFF'} ${name} ${steps - differing.length}/${steps}`)
}

const share = (part: number, whole: number): string => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)}%`)

async function replay(access: Access): Promise<void> {
  const differing: DifferingStep[] = []
  let steps = 0
  let equalStatuses = 0
  for (const scenario of scenarios) {
    const verdict = await check(scenario, access)
    print(scenario.name, verdict)
    differing.push(...verdict.differing)
    steps += verdict.steps
    equalStatuses += verdict.equalStatuses
  }
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(differing, null, 1))
  console.log(`equal answers: ${share(steps - differing.length, steps)}`)
  console.log(`equal status codes: ${share(equalStatuses, steps)}`)
}

if (values.server === undefined) {
  const server = await startServer()
  await replay(server)
  server.stop()
} else {
  await replay({ url: values.server, token: values.token })
}
