/** Replays recorded scenarios against a test server. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestServer } from '../server.ts'

/**
 * Replays one file of scenarios.
 * @param folder contains `scenarios` and `golden`
 * @param reports a temporary directory
 * @returns the steps whose responses differ, as `<scenario> #<step>`
 */
export async function differingSteps(server: TestServer, folder: string, reports: string, name: string): Promise<string[]> {
  const report = join(reports, `${name}.json`)
  const place = ['--scenarios', join(folder, 'scenarios'), '--golden', join(folder, 'golden'), '--only', `${name}.json`]
  const access = ['--server', server.url, '--token', server.token, '--insecure', '--json', report]
  const child = spawn(process.execPath, [join(import.meta.dirname, 'replay.mjs'), 'check', ...access, ...place], {
    stdio: 'ignore',
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  })
  await once(child, 'exit')
  const steps = JSON.parse(readFileSync(report, 'utf8')) as { scenario: string; step: number }[]
  return steps.map(({ scenario, step }) => `${scenario} #${step}`)
}
