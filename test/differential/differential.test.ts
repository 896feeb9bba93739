/**
 * The server's answers against those that were recorded from kube-apiserver, for the scenarios that `replayed` names.
 * What differs stands in ledger.json with its reason, and must go on differing: a difference that is mended must leave it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../server.ts'

interface Ledger {
  readonly replayed: readonly string[]
  /** `<scenario> #<step>`: why it differs. */
  readonly differences: Readonly<Record<string, string>>
}

const folder = import.meta.dirname
const ledger = JSON.parse(readFileSync(join(folder, 'ledger.json'), 'utf8')) as Ledger
let server: TestServer
let reports: string

beforeAll(async () => {
  server = await startServer()
  reports = mkdtempSync(join(tmpdir(), 'edgeplane-differential-'))
}, 30_000)
afterAll(async () => {
  await server.stop()
  rmSync(reports, { recursive: true, force: true })
})

/** The steps of a scenario whose answers differ. */
async function replay(name: string): Promise<string[]> {
  const report = join(reports, `${name}.json`)
  const place = ['--scenarios', join(folder, 'scenarios'), '--golden', join(folder, 'golden'), '--only', `${name}.json`]
  const access = ['--server', server.url, '--token', server.token, '--insecure', '--json', report]
  const child = spawn(process.execPath, [join(folder, 'replay.mjs'), 'check', ...access, ...place], {
    stdio: 'ignore',
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  })
  await once(child, 'exit')
  const steps = JSON.parse(readFileSync(report, 'utf8')) as { scenario: string; step: number }[]
  return steps.map(({ scenario, step }) => `${scenario} #${step}`)
}

test.each(ledger.replayed)(
  '%s',
  async (name) => {
    const known = Object.keys(ledger.differences).filter((entry) => entry.startsWith(`${name} #`))
    expect((await replay(name)).sort()).toEqual(known.sort())
  },
  60_000,
)
