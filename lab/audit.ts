/**
 * Counts what Cloudflare would bill, on the instrumented build under `wrangler dev`, and writes the results and the tables of
 * docs/costs.md.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measurePreview } from './audit/preview.ts'
import { measureProcessor, type ProcessorTimes } from './audit/processor.ts'
import { type Results, render } from './audit/report.ts'
import { priced, scenariosOf } from './audit/scenarios.ts'
import { type AuditedServer, startAuditedServer } from './audit/server.ts'
import type { Step } from './audit/step.ts'
import { fullSize, measureSteps, type Placement, type Size, settingsOf, shortSize } from './audit/steps.ts'
import { command, flag } from './command.ts'
import { root } from './root.ts'

const resultsFile = join(root, 'lab/bench/results/audit.json')
const page = join(root, 'docs/costs.md')

/** The seconds for which the watches of a preview are measured. */
const previewSeconds = 30

async function onServer<T>(settings: Readonly<Record<string, string>>, act: (server: AuditedServer) => Promise<T>): Promise<T> {
  const server = await startAuditedServer(settings)
  try {
    return await act(server)
  } finally {
    await server.stop()
  }
}

async function measure(size: Size, placement: Placement): Promise<readonly Step[]> {
  const steps = await onServer(settingsOf(size, placement), (server) => measureSteps(server, size))
  const seconds = size === fullSize ? previewSeconds : size.idleSeconds
  const ofPreview = await onServer({ PLACEMENT: placement }, (server) => measurePreview(server, seconds))
  return [...steps, ...ofPreview]
}

function print(title: string, steps: readonly Step[], processor: ProcessorTimes): void {
  console.log(title)
  for (const { scenario, list, account, isMet } of scenariosOf(steps, processor).map(priced)) {
    const verdict = isMet === undefined ? '' : isMet ? 'goal met' : 'GOAL MISSED'
    console.log(
      `${scenario.name.padEnd(40)}${list.toFixed(4).padStart(12)} $ list${account.toFixed(2).padStart(10)} $ bill  ${verdict}`,
    )
  }
}

async function measureAll(size: Size): Promise<Results> {
  const date = new Date().toISOString().slice(0, 10)
  const processor = await measureProcessor()
  const steps = await measure(size, 'collections')
  print('an object for each collection', steps, processor)
  const oneObject = await measure(size, 'one-object')
  print('one object', oneObject, processor)
  return { date, steps, oneObject, processor }
}

export default command({
  options: {
    short: flag('measures less, and writes nothing'),
    render: flag('makes the tables from the stored results'),
  },
  async run({ short, render: isStored }) {
    if (!isStored) {
      const results = await measureAll(short ? shortSize : fullSize)
      if (!short) writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`)
    }
    if (short) return
    const results = JSON.parse(readFileSync(resultsFile, 'utf8')) as Results
    writeFileSync(page, render(readFileSync(page, 'utf8'), results))
  },
})
