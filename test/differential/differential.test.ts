/**
 * Compares the server's responses with those recorded from kube-apiserver, for the scenarios in `replayed`. Known differences are
 * in ledger.json with their reasons; a difference that no longer occurs must be removed from it.
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
  /** The reason of a difference, by `<scenario> #<step>`. */
  readonly differences: Readonly<Record<string, string>>
}

const folder = import.meta.dirname
const ledger = JSON.parse(readFileSync(join(folder, 'ledger.json'), 'utf8')) as Ledger
/**
 * Scenarios mostly wait for effects of a write, so several run at once. Each has its own server, because they list shared
 * objects.
 */
const lanes = 4
let servers: readonly TestServer[] = []
const free: TestServer[] = []
let reports: string

beforeAll(async () => {
  servers = await Promise.all(Array.from({ length: lanes }, () => startServer()))
  free.push(...servers)
  reports = mkdtempSync(join(tmpdir(), 'edgeplane-differential-'))
}, 60_000)
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  rmSync(reports, { recursive: true, force: true })
})

/** Returns the steps of a scenario whose responses differ, on a server that no other scenario uses at the same time. */
async function replay(name: string): Promise<string[]> {
  const server = free.pop()
  if (server === undefined) throw new Error(`more than ${lanes} scenarios at once: see maxConcurrency`)
  try {
    return await replayOn(server, name)
  } finally {
    free.push(server)
  }
}

async function replayOn(server: TestServer, name: string): Promise<string[]> {
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

test.concurrent.each(ledger.replayed)(
  '%s',
  async (name) => {
    const known = Object.keys(ledger.differences).filter((entry) => entry.startsWith(`${name} #`))
    expect((await replay(name)).sort()).toEqual(known.sort())
  },
  60_000,
)
