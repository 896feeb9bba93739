/**
 * Compares the server's responses with those recorded from kube-apiserver, for the scenarios in `replayed`. Known differences are
 * in ledger.json with their reasons; a difference that no longer occurs must be removed from it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../server.ts'
import { differingSteps } from './replayed.ts'

interface Ledger {
  readonly replayed: readonly string[]
  /** The reason of a difference, by `<scenario> #<step>`. */
  readonly differences: Readonly<Record<string, string>>
  /** The same for differences that occur only if each collection has versions of its own. */
  readonly differencesOfCollections: Readonly<Record<string, string>>
}

const folder = import.meta.dirname
const ledger = JSON.parse(readFileSync(join(folder, 'ledger.json'), 'utf8')) as Ledger

const isOneObject = process.env.PLACEMENT === 'one-object'
const differences = { ...ledger.differences, ...(!isOneObject && ledger.differencesOfCollections) }

/** The scenarios: all of them, or each n-th if the whole suite runs them over the other placement too. */
const each = Number(process.env.REPLAY_EACH ?? '1')
const replayed = ledger.replayed.filter((_, index) => index % each === 0)

/** The pauses of a scenario, in milliseconds: the longest begin first, so that none of them is left alone at the end. */
function pausesOf(name: string): number {
  const text = readFileSync(join(folder, 'scenarios', `${name}.json`), 'utf8')
  return [...text.matchAll(/"sleep": (\d+)/g)].reduce((sum, [, pause]) => sum + Number(pause), 0)
}
const ordered = replayed.toSorted((one, other) => pausesOf(other) - pausesOf(one))

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

/** Returns the steps of a scenario whose responses differ, on a server that no other scenario uses at the same time. */
async function replay(name: string): Promise<string[]> {
  const server = free.pop()
  if (server === undefined) throw new Error(`more than ${lanes} scenarios at once: see maxConcurrency`)
  try {
    return await differingSteps(server, folder, name)
  } finally {
    free.push(server)
  }
}

test.concurrent.each(ordered)(
  '%s',
  async (name) => {
    const known = Object.keys(differences).filter((entry) => entry.startsWith(`${name} #`))
    expect((await replay(name)).sort()).toEqual(known.sort())
  },
  60_000,
)
