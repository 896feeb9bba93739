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
/** Scenarios mostly wait for what follows a write: as many go on at once, each alone on its server, for they list what all share. */
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

/** The steps of a scenario whose answers differ, on a server that no other scenario uses meanwhile. */
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
