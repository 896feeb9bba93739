/** The client of a cluster's collections. */
import { expect, test } from 'vitest'
import type { Kind } from '../catalog/kind.ts'
import { kindOf } from '../catalog/scheme.ts'
import { ApiError } from '../meta/errors.ts'
import { MissingLookups, type WorkerLookup } from '../meta/lookups.ts'
import { CollectionClient, type RequestScope } from './collection-client.ts'
import { type AttemptState, missingLookupsResponse, workerLookup } from './lookups.ts'
import type { KnownCluster, ObjectBindings } from './object-stubs.ts'
import { enterMemory, type ObjectInMemory } from './objects-in-memory.ts'
import { operationOf } from './operation.ts'
import { placementHeader } from './placement.ts'
import { collectionUrl, protocolPath } from './protocol.ts'
import { errorResponse } from './wire-error.ts'

const builtIn = (resource: string): Kind => {
  const kind = kindOf('', 'v1', resource)
  if (kind === undefined) throw new Error(resource)
  return kind
}

const getOf = (resource: string) =>
  ({
    verb: 'get',
    target: { group: '', version: 'v1', resource, subresource: '', namespace: 'default', name: 'a' },
    resourceVersion: '',
  }) as const

/** Returns bindings whose objects respond with the class and name by which they were found, or with `answer`. */
function namedObjects(answer?: (request: Request) => Response): ObjectBindings {
  const namespace = (of: string) => ({
    idFromName: (name: string) => name,
    get: (name: string) => ({
      fetch: async (url: string, init?: RequestInit) => answer?.(new Request(url, init)) ?? new Response(`${of} ${name}`),
    }),
  })
  return { COLLECTION: namespace('collection'), CONTROL: namespace('control') } as unknown as ObjectBindings
}

/** A cluster whose placement is known. */
const known = { name: 'one', placement: 'collections', ids: new Map() } satisfies KnownCluster

test('operations are sent to the Durable Objects of the client’s own cluster', async () => {
  const [one, other] = ['one', 'other'].map((cluster) => new CollectionClient(namedObjects(), cluster))
  expect(await (await one?.perform(builtIn('pods'), getOf('pods')))?.text()).toBe('collection one//pods')
  expect(await (await other?.perform(builtIn('pods'), getOf('pods')))?.text()).toBe('collection other//pods')
  expect(await (await other?.perform(builtIn('namespaces'), getOf('namespaces')))?.text()).toBe('control other/control')
  expect(await (await other?.control().fetch(`${collectionUrl}/health`))?.text()).toBe('control other/control')
  expect(await (await other?.collection('apps', 'deployments').fetch('http://x/'))?.text()).toBe(
    'collection other/apps/deployments',
  )
})

test('a client for one request stays in its cluster and sends the deadline and headers of the request', async () => {
  const scope: RequestScope = {
    headers: { 'audit-id': '7' },
    observer: undefined,
    found: () => undefined,
    deadline: 5,
    resolve: async () => null,
  }
  const echo = (request: Request): Response => Response.json(operationOf(request))
  const client = new CollectionClient(namedObjects(echo), known).forRequest(scope)
  const carried = await (await client.perform(builtIn('pods'), getOf('pods'))).json()
  expect(carried).toEqual({ ...getOf('pods'), answerHeaders: { 'audit-id': '7' }, deadline: 5 })
})

test('the placement of the cluster comes from its control object, with any response or when it is first needed', async () => {
  const header = { [placementHeader]: 'one-object' }
  const paths: string[] = []
  const bindings = namedObjects(({ url }) => {
    paths.push(new URL(url).pathname)
    return new Response('', { headers: header })
  })
  const asking = new CollectionClient(bindings, 'one')
  await asking.perform(builtIn('pods'), getOf('pods'))
  expect(paths).toEqual([`${protocolPath}/health`, protocolPath])
  const told = new CollectionClient(namedObjects(), 'one')
  told.learn(new Response('', { headers: header }))
  expect(await (await told.perform(builtIn('pods'), getOf('pods'))).text()).toBe('control one/control')
})

test('an object calls itself without a request to its namespace', async () => {
  const own = { name: 'one/control', fetch: async (request: Request) => new Response(`itself ${request.method} ${request.url}`) }
  const cluster = { name: 'one', placement: 'one-object', ids: new Map(), own } as const
  const client = new CollectionClient(namedObjects(), { ...cluster })
  expect(await (await client.perform(builtIn('pods'), getOf('pods'))).text()).toBe(`itself GET ${collectionUrl}`)
  expect(await (await client.get({ class: 'collection', name: 'one//pods' }).fetch(collectionUrl)).text()).toBe(
    'collection one//pods',
  )
})

test('throws the ApiError of a Durable Object', async () => {
  const gone = new ApiError(410, 'Expired', 'too old')
  const client = new CollectionClient(
    namedObjects(() => errorResponse(gone)),
    known,
  )
  await expect(client.perform(builtIn('pods'), getOf('pods'))).rejects.toMatchObject({
    code: 410,
    reason: 'Expired',
    message: 'too old',
  })
})

const phaseOf = (namespace: string): WorkerLookup<unknown> => workerLookup('namespace', { namespace })

/** Returns a request's client that resolves lookups with `resolve`, and whose objects need `needed(attempt)` at each attempt. */
function lookingUp(
  needed: (attempt: number) => readonly WorkerLookup<unknown>[],
  resolve: RequestScope['resolve'],
): { readonly client: CollectionClient; readonly attempts: ReturnType<typeof operationOf>[] } {
  const attempts: ReturnType<typeof operationOf>[] = []
  const answer = (request: Request): Response => {
    const operation = operationOf(request)
    attempts.push(operation)
    const missing = needed(attempts.length).filter(({ key }) => !Object.hasOwn(operation.lookups ?? {}, key))
    const state: AttemptState = { names: { uid: [`uid ${attempts.length}`] }, now: attempts.length }
    return missing.length === 0 ? new Response('done') : missingLookupsResponse(new MissingLookups(missing), state)
  }
  const scope: RequestScope = { headers: {}, observer: undefined, found: () => undefined, deadline: undefined, resolve }
  return { client: new CollectionClient(namedObjects(answer), known).forRequest(scope), attempts }
}

test('an operation with missing lookups is sent again with their results and with the state of its attempt', async () => {
  const { client, attempts } = lookingUp(
    (attempt) => (attempt === 1 ? [phaseOf('a'), phaseOf('b')] : [phaseOf('a'), phaseOf('c')]),
    async ({ parameters }) => `phase of ${JSON.stringify(parameters)}`,
  )
  expect(await (await client.perform(builtIn('pods'), getOf('pods'))).text()).toBe('done')
  expect(attempts.map(({ lookups }) => Object.keys(lookups ?? {}).length)).toEqual([0, 2, 3])
  expect(attempts[2]?.lookups?.[phaseOf('c').key]).toBe('phase of {"namespace":"c"}')
  expect(attempts.map(({ attempt }) => attempt?.now)).toEqual([undefined, 1, 2])
  expect(attempts[2]?.attempt?.names).toEqual({ uid: ['uid 2'] })
})

test('an operation whose lookups were expected takes one hop', async () => {
  const { client, attempts } = lookingUp(
    () => [phaseOf('a')],
    async () => 'Active',
  )
  const lookups = await client.lookUp([phaseOf('a')])
  await client.perform(builtIn('pods'), { ...getOf('pods'), lookups })
  expect(attempts.length).toBe(1)
})

test('the request fails with the ApiError of a lookup', async () => {
  const { client } = lookingUp(
    () => [phaseOf('a')],
    () => Promise.reject(new ApiError(429, 'TooManyRequests', 'the budget is exhausted')),
  )
  await expect(client.perform(builtIn('pods'), getOf('pods'))).rejects.toMatchObject({ code: 429 })
})

test('number and size of the lookups of an operation are bounded', async () => {
  const endless = lookingUp(
    (attempt) => [phaseOf(String(attempt))],
    async () => 'Active',
  )
  await expect(endless.client.perform(builtIn('pods'), getOf('pods'))).rejects.toThrow('one lookup after another')
  const many = lookingUp(
    () => Array.from({ length: 101 }, (_, index) => phaseOf(String(index))),
    async () => 'Active',
  )
  await expect(many.client.perform(builtIn('pods'), getOf('pods'))).rejects.toThrow('no end')
  const large = lookingUp(
    () => [phaseOf('a')],
    async () => 'x'.repeat(8 * 1024 * 1024),
  )
  await expect(large.client.perform(builtIn('pods'), getOf('pods'))).rejects.toThrow('no end')
})

test('a read is answered by the object in memory, if the server is one process', async () => {
  const pods = builtIn('pods')
  const cluster = { name: 'in-memory', placement: 'collections', ids: new Map(), uid: 'u1' } satisfies KnownCluster
  const asked: (string | undefined)[] = []
  let held: string | undefined = 'held'
  const object: ObjectInMemory = {
    answerFromMemory: (_operation, uid) => {
      asked.push(uid)
      return held === undefined ? undefined : new Response(held)
    },
  }
  enterMemory('in-memory//pods', object)
  const bindings: ObjectBindings = { ...namedObjects(), READS: 'memory' }
  const read = async (client: CollectionClient) => (await client.perform(pods, getOf('pods'))).text()
  expect(await read(new CollectionClient(bindings, { ...cluster }))).toBe('held')
  expect(asked).toEqual(['u1'])
  // Not in memory, another setting, and a Durable Object whose own requests tell its clock.
  held = undefined
  expect(await read(new CollectionClient(bindings, { ...cluster }))).toBe('collection in-memory//pods')
  held = 'held'
  expect(await read(new CollectionClient(namedObjects(), { ...cluster }))).toBe('collection in-memory//pods')
  const caller = { name: 'one//pods', clock: { time: 0, notBefore: () => undefined } }
  expect(await read(new CollectionClient(bindings, { ...cluster, caller }))).toBe('collection in-memory//pods')
})
