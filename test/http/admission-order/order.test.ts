/** The order of policies, webhooks and plugins in the mutating phase, and reinvocation, are those of kube-apiserver. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readLines } from '../../../conformance/lines.ts'
import { startServer, type TestServer } from '../../server.ts'
import { type Create, configure, type OrderOutcome, observe, orderCases, startMarkingWebhook } from './run.ts'

const recorded = readLines<OrderOutcome>(join(import.meta.dirname, '../../../conformance/recorded/admission-order.jsonl'))
const cases = orderCases(recorded.length)

let server: TestServer
let webhook: Awaited<ReturnType<typeof startMarkingWebhook>>

beforeAll(async () => {
  webhook = await startMarkingWebhook()
  server = await startServer()
})

afterAll(async () => {
  await server.stop()
  webhook.stop()
})

const create: Create = async (path, body) => {
  const response = await server.send(path, { method: 'POST', body })
  if (response.status !== 201) throw new Error(response.text)
  return response.json()
}

test('mutating policies, webhooks and plugins of the server run in the order of kube-apiserver, and again by reinvocationPolicy', async () => {
  await Promise.all(cases.map((each) => configure(each, webhook, create)))
  const outcomes: OrderOutcome[] = []
  for (const each of cases) outcomes.push(await observe(each, create))
  expect(outcomes).toEqual(recorded)
  expect(outcomes.filter(({ marks }) => marks.includes('p ') && marks.includes('w')).length).toBeGreaterThan(10)
})
