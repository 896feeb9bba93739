/** A server whose caches are much smaller than its data: what they drop is read or compiled again. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CountedServer, startCountedServer } from './counted-server.ts'

const collections = Array.from({ length: 4 }, (_, index) => `lamps${index}`)
const names = ['a', 'b', 'c', 'd']
const pathOf = (collection: string): string => `/apis/example.com/v1/namespaces/default/${collection}`

let server: CountedServer

/** A definition whose schema is longer than the caches allow for all definitions together. */
function definition(plural: string): object {
  const properties = Object.fromEntries(
    Array.from({ length: 400 }, (_, index) => [`field${index}`, { type: 'string', description: 'x'.repeat(200) }]),
  )
  const spec = {
    type: 'object',
    properties: { ...properties, colour: { type: 'string', default: 'white' }, watts: { type: 'integer' } },
  }
  const kind = plural.replace('lamps', 'Lamp')
  return {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } },
      ],
    },
  }
}

async function expected(status: number, path: string, method = 'GET', body?: object): Promise<string> {
  const answer = await server.send(path, { method, ...(body !== undefined && { body }) })
  expect(answer.status, answer.text.slice(0, 500)).toBe(status)
  return answer.text
}

const lamp = (collection: string, name: string, watts: unknown): object => ({
  apiVersion: 'example.com/v1',
  kind: collection.replace('lamps', 'Lamp'),
  metadata: { name, annotations: { content: `${collection}/${name} `.padEnd(100_000, 'x') } },
  spec: { watts },
})

interface Lamp {
  readonly metadata: { readonly name: string; readonly annotations: { readonly content: string } }
  readonly spec: object
}

beforeAll(async () => {
  server = await startCountedServer({ CACHE_MEGABYTES: '4' })
  for (const collection of collections) {
    await expected(201, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', 'POST', definition(collection))
  }
  // In turns, so that each collection is the one that was used last.
  for (const [watts, name] of names.entries()) {
    for (const collection of collections) await expected(201, pathOf(collection), 'POST', lamp(collection, name, watts))
  }
}, 120_000)

afterAll(() => server.stop())

describe('with caches that are smaller than the data', () => {
  test('objects and lists are complete', async () => {
    for (const collection of [...collections, ...collections]) {
      const { items } = JSON.parse(await expected(200, pathOf(collection))) as { items: Lamp[] }
      expect(items.map(({ metadata }) => metadata.name)).toEqual(names)
      const one = JSON.parse(await expected(200, `${pathOf(collection)}/c`)) as Lamp
      expect(one.metadata.annotations.content.slice(0, 10)).toBe(`${collection}/c x`.slice(0, 10))
      expect(one.spec).toEqual({ colour: 'white', watts: 2 })
    }
  })

  test('custom resources are validated by their schemas', async () => {
    for (const collection of collections) await expected(422, pathOf(collection), 'POST', lamp(collection, 'e', 'many'))
  })

  test('a watch gets every event since its resourceVersion', async () => {
    const watch = async (collection: string): Promise<void> => {
      const { metadata } = JSON.parse(await expected(200, `${pathOf(collection)}/a`)) as { metadata: { resourceVersion: string } }
      const text = await expected(
        200,
        `${pathOf(collection)}?watch=1&timeoutSeconds=1&resourceVersion=${metadata.resourceVersion}`,
      )
      const events = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line) as { object: Lamp }]))
      expect(events.map(({ object }) => object.metadata.name)).toEqual(['b', 'c', 'd'])
    }
    await Promise.all(collections.map(watch))
  })
})
