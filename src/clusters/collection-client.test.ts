/** A collection client asks the Durable Objects of its own cluster and no other. */
import { expect, test } from 'vitest'
import type { Kind } from '../catalog/kind.ts'
import { kindOf } from '../catalog/scheme.ts'
import { ApiError } from '../meta/errors.ts'
import { CollectionClient, type ObjectBindings, type RequestScope } from './collection-client.ts'
import { errorResponse, operationOf } from './operation.ts'

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

/** Bindings whose objects answer with the class and the name under which they were found. */
function namedObjects(answer?: (request: Request) => Response): ObjectBindings {
  const namespace = (of: string) => ({
    idFromName: (name: string) => name,
    get: (name: string) => ({
      fetch: async (url: string, init?: RequestInit) => answer?.(new Request(url, init)) ?? new Response(`${of} ${name}`),
    }),
  })
  return { COLLECTION: namespace('collection'), CONTROL: namespace('control') } as unknown as ObjectBindings
}

test('operations go to the collections of the cluster that the client is made for', async () => {
  const [one, other] = ['one', 'other'].map((cluster) => new CollectionClient(namedObjects(), cluster))
  expect(await (await one?.perform(builtIn('pods'), getOf('pods')))?.text()).toBe('collection one//pods')
  expect(await (await other?.perform(builtIn('pods'), getOf('pods')))?.text()).toBe('collection other//pods')
  expect(await (await other?.perform(builtIn('namespaces'), getOf('namespaces')))?.text()).toBe('control other/control')
  expect(await (await other?.control().fetch('http://control/health'))?.text()).toBe('control other/control')
  expect(await (await other?.collection('apps', 'deployments').fetch('http://x/'))?.text()).toBe(
    'collection other/apps/deployments',
  )
})

test('a client for one request stays in its cluster and carries the deadline and headers of the request', async () => {
  const scope: RequestScope = { headers: { 'audit-id': '7' }, observer: undefined, deadline: 5, resolve: async () => null }
  const echo = (request: Request): Response => Response.json(operationOf(request))
  const client = new CollectionClient(namedObjects(echo), 'one').forRequest(scope)
  const carried = await (await client.perform(builtIn('pods'), getOf('pods'))).json()
  expect(carried).toEqual({ ...getOf('pods'), answerHeaders: { 'audit-id': '7' }, deadline: 5 })
  expect(client.placementOf(builtIn('pods').storage)).toEqual({ class: 'collection', name: 'one//pods' })
})

test('the ApiError of a Durable Object is thrown', async () => {
  const gone = new ApiError(410, 'Expired', 'too old')
  const client = new CollectionClient(
    namedObjects(() => errorResponse(gone)),
    'one',
  )
  await expect(client.perform(builtIn('pods'), getOf('pods'))).rejects.toMatchObject({
    code: 410,
    reason: 'Expired',
    message: 'too old',
  })
})
