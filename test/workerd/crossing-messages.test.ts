/** Objects of one cluster take from another only the messages whose protocol names other senders. */
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { controlProtocol } from '../../src/clusters/control-protocol.ts'
import type { Fork } from '../../src/clusters/fork-messages.ts'
import { type Operation, operationInit } from '../../src/clusters/operation.ts'
import { collectionUrl } from '../../src/clusters/protocol.ts'
import { senderHeader } from '../../src/clusters/senders.ts'
import { newControl } from './new-control.ts'

const victim = `victim-${crypto.randomUUID()}`
const child = `child-${crypto.randomUUID()}`
const uid = crypto.randomUUID()
const needle = 'needle-of-the-victim'
const secrets = { group: '', version: 'v1', resource: 'secrets', subresource: '', namespace: 'default', name: '' }
const create: Operation = { verb: 'create', target: secrets, write: { manager: 'test', dryRun: false } }
const control = (): DurableObjectStub => env.CONTROL.getByName(`${victim}/control`)
const collection = (): DurableObjectStub => env.COLLECTION.getByName(`${victim}//secrets`)
let fork: Fork

/** Sends a message as an object of a cluster; as a Worker for undefined. */
async function send(stub: DurableObjectStub, cluster: string | undefined, method: string, path: string, body?: object) {
  const headers = cluster === undefined ? {} : { [senderHeader]: `${cluster}/control` }
  const response = await stub.fetch(collectionUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return { status: response.status, text: await response.text() }
}

beforeAll(async () => {
  await newControl(victim, 'collections')
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db', namespace: 'default' }, data: { a: btoa(needle) } }
  const made = await collection().fetch(collectionUrl, operationInit(create, JSON.stringify(secret)))
  expect(made.status, await made.text()).toBe(201)
  const held = await send(control(), 'default', 'POST', controlProtocol.holdHistory.path, { uid, cluster: child })
  fork = JSON.parse(held.text) as Fork
})

const at = (path: string, more: Record<string, string> = {}, of = uid): string =>
  `${path}?${new URLSearchParams({ uid: of, prefix: 'secrets', ...more })}`
const reads = (of?: string): readonly string[] => [
  at(controlProtocol.past.path, { time: String(fork.time) }, of),
  at(controlProtocol.pastObjects.path, { version: String(Number.MAX_SAFE_INTEGER), after: '' }, of),
  at(controlProtocol.pastObject.path, { version: String(Number.MAX_SAFE_INTEGER), key: 'secrets/default/db' }, of),
]

test('a parent gives its rows to the fork that it has agreed to [F13]', async () => {
  const { status, text } = await send(collection(), child, 'GET', at(controlProtocol.past.path, { time: String(fork.time) }))
  expect(status, text).toBe(200)
  const { version } = JSON.parse(text) as { version: number }
  const objects = await send(
    collection(),
    child,
    'GET',
    at(controlProtocol.pastObjects.path, { version: String(version), after: '' }),
  )
  expect(objects.text).toContain(btoa(needle))
  const other = { version: String(version), key: 'configmaps/default/kube-root-ca.crt' }
  expect(await send(collection(), child, 'GET', at(controlProtocol.pastObject.path, other))).toMatchObject({ status: 204 })
})

describe('no row leaves a parent for', () => {
  test.each([
    ['another cluster with the uid of the fork', 'mallory', undefined, 403],
    ['a fork with another uid', child, 'never-agreed', 403],
    ['a Worker', undefined, undefined, 503],
  ])('%s', async (_, sender, of, expected) => {
    for (const path of reads(of)) {
      const { status, text } = await send(collection(), sender, 'GET', path)
      expect({ path, status, leaks: text.includes(btoa(needle)) }).toEqual({ path, status: expected, leaks: false })
    }
  })

  test('a fork that has copied the collection [F13]', async () => {
    await send(control(), child, 'POST', controlProtocol.forkProgress.path, { uid, remaining: ['configmaps'] })
    expect(await send(collection(), child, 'GET', reads()[0] ?? '')).toMatchObject({ status: 403 })
  })
})

test.each([
  ['PUT', '/cluster', { uid: '', placement: 'collections' }],
  ['PUT', '/cluster', { uid: 'another', placement: 'collections' }],
  ['PUT', '/cluster/jurisdiction', { jurisdiction: 'eu' }],
  ['POST', '/forks', { uid: 'mine', cluster: 'mallory' }],
  ['POST', '/fork/complete', undefined],
  ['POST', '/clusters/report', { name: 'mallory', uid, use: { objects: 0, bytes: 0 }, state: 'expired' }],
  ['POST', '/garbage-collector', { do: 'tell', place: 'collection mallory//secrets', phase: 'gone', uids: [uid] }],
  ['DELETE', '/data', undefined],
  ['GET', '/backup', undefined],
  ['POST', '/tokens', { sub: 'a' }],
  ['GET', '/policy', undefined],
  ['GET', '/health', undefined],
  ['POST', '/collections', { group: '', version: 'v1', resource: 'secrets' }],
  ['POST', '', undefined],
])('403 for %s %s of another named cluster [M5]', async (method, path, body) => {
  const { status, text } = await send(control(), 'mallory', method, path, body)
  expect({ status, text }).toMatchObject({ status: 403 })
  expect((await send(control(), undefined, 'GET', '/health')).status).toBe(200)
})
