/** The recorded matrix of admission webhooks: requests, responses and reviews are those of kube-apiserver. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readLines } from '../../../conformance/lines.ts'
import { startServer, type TestServer } from '../../server.ts'
import type { Case } from './case-parts.ts'
import { cases } from './cases.ts'
import { type CaseOutcome, runCase, type Send } from './run.ts'
import { startWebhookServer, type WebhookServer } from './webhook-server.ts'

const recorded: ReadonlyMap<string, CaseOutcome> = new Map(
  readLines<CaseOutcome>(join(import.meta.dirname, '../../../conformance/recorded/admission-webhooks.jsonl')).map((outcome) => [
    outcome.name,
    outcome,
  ]),
)

/** Cases with another outcome here, by their names, with the reason. */
const known: readonly { readonly name: RegExp; readonly reason: string }[] = [
  { name: /deny-custom-status$/, reason: 'the status of an error is always Failure' },
  { name: /^reviews-put$/, reason: 'the object of a PUT has its uid and creationTimestamp before the mutating phase' },
  { name: /^reviews-pod-deletion$/, reason: 'kube-apiserver admits a forced deletion twice' },
]

let server: TestServer
let webhook: WebhookServer

beforeAll(async () => {
  webhook = await startWebhookServer()
  server = await startServer()
})

afterAll(async () => {
  await server.stop()
  webhook.stop()
})

const send: Send = async ({ method, path, body, type = 'application/json' }) => {
  const response = await server.open(path, { method, body, headers: { ...(body !== undefined && { 'content-type': type }) } })
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return { status: response.statusCode ?? 0, warnings: response.headersDistinct.warning ?? [], text }
}

const run = (one: Case): Promise<CaseOutcome> => runCase(one, webhook, send, async () => undefined)

describe('admission webhooks as kube-apiserver calls them', () => {
  const same = cases.filter(({ name }) => !known.some((each) => each.name.test(name)))

  test.each(same)('$name', async (one) => {
    expect(await run(one)).toEqual(recorded.get(one.name))
  })
})

describe('known differences of admission webhooks', () => {
  const different = cases.filter(({ name }) => known.some((each) => each.name.test(name)))

  test.each(different)('$name', async (one) => {
    expect(await run(one)).not.toEqual(recorded.get(one.name))
  })
})
