/**
 * Compares the responses of servers with other admission plugins than the default ones with those recorded from kube-apiserver
 * with the same flags. `npm run lab record plugins` records them.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../test/server.ts'
import { differences } from '../ledger.ts'
import { readScenario, scenarioNames } from '../scenario.ts'
import { startBackend } from './backend.ts'
import { argumentsOf, type PluginSet, sets } from './sets.ts'

/** For the files that options of the servers name. */
const files = mkdtempSync(join(tmpdir(), 'edgeplane-plugins-'))
const servers = new Map<PluginSet, TestServer>()
let backend: Server

beforeAll(async () => {
  backend = await startBackend(0)
  const { port } = backend.address() as AddressInfo
  const started = Object.values(sets).map(async (set) => {
    servers.set(set, await startServer({ args: argumentsOf(set, files, port) }))
  })
  await Promise.all(started)
}, 60_000)
afterAll(async () => {
  await Promise.all([...servers.values()].map((server) => server.stop()))
  backend.close()
  rmSync(files, { recursive: true, force: true })
})

const cases = Object.entries(sets).flatMap(([name, set]) => {
  const folder = join(import.meta.dirname, name)
  return scenarioNames(folder).map((scenario) => [name, scenario, set, folder] as const)
})

test.each(cases)('admission plugins, set %s: %s', async (_name, scenario, set, folder) => {
  const server = servers.get(set)
  expect(server && (await differences(readScenario(folder, scenario), server))).toEqual([])
})
