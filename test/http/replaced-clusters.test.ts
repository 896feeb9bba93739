/** Requests that meet another cluster with the same name: one response, and one record in the audit log. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configMaps } from '../paths.ts'
import { type ClusterServer, startClusterServer } from './cluster-server.ts'

const patient = { timeout: 20_000 }
const files = mkdtempSync(join(tmpdir(), 'edgeplane-audit-'))
let server: ClusterServer

beforeAll(async () => {
  const [policy, log] = [join(files, 'policy.yaml'), join(files, 'audit.log')]
  writeFileSync(policy, '{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: Metadata}]}')
  server = await startClusterServer(['--audit-policy-file', policy, '--audit-log-path', log])
}, 60_000)

afterAll(async () => {
  await server?.stop()
  rmSync(files, { recursive: true, force: true })
})

/** Returns stage and code of the events of a request. */
function eventsOf(id: string): string[] {
  const lines = readFileSync(join(files, 'audit.log'), 'utf8').split('\n').slice(0, -1)
  const events = lines.map((line) => JSON.parse(line) as { auditID: string; stage: string; responseStatus?: { code: number } })
  return events
    .filter(({ auditID }) => auditID === id)
    .map(({ stage, responseStatus }) => `${stage} ${responseStatus?.code ?? ''}`.trim())
}

/** Makes a cluster, which the Worker then knows, and another one with its name. Returns the tokens of both. */
async function replaced(name: string): Promise<{ former: string; token: string }> {
  const former = await server.make(name)
  expect((await server.inside(name, configMaps, { token: former })).status).toBe(200)
  await server.remove(name)
  return { former, token: await server.make(name) }
}

describe('The first request after a cluster was replaced', () => {
  test('is answered and recorded once', async () => {
    const { token } = await replaced('again')
    const { status } = await server.inside('again', configMaps, { token, headers: { 'audit-id': 'again' } })
    expect(status).toBe(200)
    await expect.poll(() => eventsOf('again'), patient).toEqual(['RequestReceived', 'ResponseComplete 200'])
  })

  test('with a credential of the earlier one is refused by the later one, and the refusal is recorded once [C7]', async () => {
    const { former } = await replaced('former')
    const { status } = await server.inside('former', configMaps, { token: former, headers: { 'audit-id': 'former' } })
    expect(status).toBe(401)
    await expect
      .poll(() => eventsOf('former').filter((event) => event !== 'RequestReceived'), patient)
      .toEqual(['ResponseStarted 401'])
    expect(eventsOf('former').filter((event) => event === 'RequestReceived').length).toBeLessThanOrEqual(1)
  })
})
