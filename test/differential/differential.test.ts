/**
 * Compares the server's responses with those recorded from kube-apiserver, for the scenarios in `replayed`. Known differences are
 * in ledger.json with their reasons; a difference that no longer occurs must be removed from it.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../server.ts'
import { differingSteps } from './replayed.ts'

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
    return await differingSteps(server, folder, reports, name)
  } finally {
    free.push(server)
  }
}

test.concurrent.each(ledger.replayed)(
  '%s',
  async (name) => {
    const known = Object.keys(ledger.differences).filter((entry) => entry.startsWith(`${name} #`))
    expect((await replay(name)).sort()).toEqual(known.sort())
  },
  60_000,
)
