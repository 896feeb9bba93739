/** Pod priority and PriorityClasses over HTTPS. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Reply } from '../client.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
}, 30_000)
afterAll(() => server.stop())

const pods = '/api/v1/namespaces/default/pods'
const classes = '/apis/scheduling.k8s.io/v1/priorityclasses'

const post = (path: string, body: unknown): Promise<Reply> => server.send(path, { method: 'POST', body })

function pod(
  spec: Readonly<Record<string, unknown>>,
  metadata: Readonly<Record<string, unknown>> = { name: 'p' },
): Promise<Reply> {
  const containers = [{ name: 'c', image: 'registry.example/app:1' }]
  return post(`${pods}?dryRun=All`, { metadata, spec: { containers, ...spec } })
}

async function priorityClass(name: string, rest: Readonly<Record<string, unknown>>): Promise<void> {
  const { status, text } = await post(classes, { metadata: { name }, ...rest })
  expect([status, text]).toEqual([201, text])
}

test('a Pod gets priority and preemptionPolicy of its PriorityClass', async () => {
  await priorityClass('urgent', { value: 1000, preemptionPolicy: 'Never' })
  const { status, json } = await pod({ priorityClassName: 'urgent' })
  expect(status).toBe(201)
  expect(json()).toMatchObject({ spec: { priorityClassName: 'urgent', priority: 1000, preemptionPolicy: 'Never' } })
})

test('the system PriorityClasses are bootstrap objects', async () => {
  expect((await pod({ priorityClassName: 'system-node-critical' })).json()).toMatchObject({
    spec: { priority: 2_000_001_000, preemptionPolicy: 'PreemptLowerPriority' },
  })
})

test('server-side apply that creates a Pod sets its priority', async () => {
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'applied' },
    spec: { priorityClassName: 'system-cluster-critical', containers: [{ name: 'c', image: 'i' }] },
  }
  const reply = await server.send(`${pods}/applied?fieldManager=test&dryRun=All`, {
    method: 'PATCH',
    body,
    headers: { 'content-type': 'application/apply-patch+yaml' },
  })
  expect(reply.json()).toMatchObject({ spec: { priority: 2_000_000_000 } })
})

test.each([
  [{ priorityClassName: 'nope' }, 'no PriorityClass with name nope was found'],
  [
    { priority: 3 },
    'the integer value of priority (3) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
  ],
  [
    { priorityClassName: 'system-node-critical', preemptionPolicy: 'Never' },
    'the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name',
  ],
])('%j is 403 Forbidden', async (spec, why) => {
  const reply = await pod(spec, { generateName: 'g-' })
  expect(reply.json()).toMatchObject({ code: 403, reason: 'Forbidden', message: `pods "g-" is forbidden: ${why}` })
})

test('one PriorityClass at most is the globalDefault, for Pods without priorityClassName', async () => {
  expect((await pod({})).json()).toMatchObject({ spec: { priority: 0, preemptionPolicy: 'PreemptLowerPriority' } })
  await priorityClass('usual', { value: 7, globalDefault: true })
  expect((await pod({})).json()).toMatchObject({ spec: { priorityClassName: 'usual', priority: 7 } })
  const second = await post(classes, { metadata: { name: 'second' }, value: 8, globalDefault: true })
  expect(second.json()).toMatchObject({
    code: 403,
    message:
      'priorityclasses.scheduling.k8s.io "second" is forbidden: PriorityClass usual is already marked as default. Only one default can exist',
  })
  const same = await server.send(`${classes}/usual`, {
    method: 'PATCH',
    body: { description: 'changed' },
    headers: { 'content-type': 'application/merge-patch+json' },
  })
  expect(same.status).toBe(200)
  await server.send(`${classes}/usual`, { method: 'DELETE' })
  expect((await pod({})).json()).toMatchObject({ spec: { priority: 0 } })
})

test('a system PriorityClass cannot be deleted', async () => {
  const reply = await server.send(`${classes}/system-node-critical`, { method: 'DELETE' })
  expect(reply.json()).toMatchObject({
    code: 403,
    message:
      'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
  })
})
