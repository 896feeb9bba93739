/** Compares the server's responses with those recorded from kube-apiserver, for all scenarios. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../test/server.ts'
import { differences, knownDifferences } from './ledger.ts'
import { maxPause } from './replay.ts'
import { readScenario, type Scenario, scenarioNames } from './scenario.ts'

const placement = process.env.PLACEMENT === 'one-object' ? 'one-object' : 'collections'
const folder = join(import.meta.dirname, 'scenarios')

/** The scenarios: all of them, or each n-th if the whole suite runs them over the other placement too. */
const each = Number(process.env.REPLAY_EACH ?? '1')
const scenarios = scenarioNames(folder)
  .filter((_, index) => index % each === 0)
  .map((name) => readScenario(folder, name))

/** Returns the pauses of a scenario, in milliseconds: the longest begin first, so that none of them is left alone at the end. */
const pausesOf = ({ steps }: Scenario): number =>
  steps.reduce((sum, step) => sum + ('sleep' in step ? Math.min(step.sleep, maxPause) : 0), 0)
const ordered = scenarios.toSorted((one, other) => pausesOf(other) - pausesOf(one))

/**
 * Scenarios mostly wait for effects of a write, so several run at once. Each has its own server, because they list shared
 * objects.
 */
const lanes = 6
let servers: readonly TestServer[] = []
const free: TestServer[] = []

beforeAll(async () => {
  servers = await Promise.all(Array.from({ length: lanes }, () => startServer()))
  free.push(...servers)
}, 60_000)
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()))
})

/** Replays a scenario on a server that no other scenario uses at the same time. */
async function replay(scenario: Scenario): Promise<string[]> {
  const server = free.pop()
  if (server === undefined) throw new Error(`more than ${lanes} scenarios at once: see maxConcurrency`)
  try {
    return await differences(scenario, server)
  } finally {
    free.push(server)
  }
}

test.concurrent.each(ordered)(
  '$name',
  async (scenario) => {
    expect(await replay(scenario)).toEqual(knownDifferences(scenario, placement))
  },
  60_000,
)
