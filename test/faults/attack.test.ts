/** A short run of `npm run lab attack`. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Campaign, type Plan } from '../../lab/attack/campaign.ts'
import { Generator } from '../../lab/attack/generate.ts'
import { laneOf } from '../../lab/attack/lane.ts'
import { bytesOf, commandOf } from '../../lab/attack/request.ts'
import { clientOf } from '../client.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
}, 30_000)
afterAll(() => server.stop())

const plan = (): Plan => ({
  seed: 101,
  from: 0,
  count: 2000,
  lanes: 8,
  server: clientOf(server),
  pid: undefined,
  reference: undefined,
  compared: 0,
  progress: () => undefined,
})

test('hostile requests get no internal error, are all answered, and reveal nothing internal', {
  timeout: 120_000,
}, async () => {
  const campaign = new Campaign(plan())
  await campaign.run()
  expect([...campaign.findings.values()].map(({ signature, index, detail }) => ({ signature, index, detail }))).toEqual([])
  expect(campaign.summary.requests).toBe(2000)
  expect((await server.send('/readyz')).status).toBe(200)
})

test('the same seed makes the same requests', () => {
  const to = { url: new URL(server.url), token: 'x' }
  const made = (): string[] => {
    const generator = new Generator(5)
    return Array.from({ length: 50 }, (_, index) => bytesOf(generator.request(index, laneOf(0)), to).toString('base64'))
  }
  expect(made()).toEqual(made())
  expect(commandOf(new Generator(5).request(0, laneOf(0)), server.url)).toContain('curl')
})
