import { expect, test } from 'vitest'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { ReadCache } from '../../clusters/read-cache.ts'
import { defineFact, type FactReader } from './fact.ts'

const collections = {} as CollectionClient
const createDefaultAccount = async (): Promise<boolean> => false

/** Returns a fact whose object appears when `stored` names it, and how often it was read. */
function factOf(stored: Set<string>, create?: (host: FactReader, name: string) => Promise<boolean>) {
  const reads: string[] = []
  const fact = defineFact<string, string | null>({
    name: 'color',
    collection: 'colors',
    absent: null,
    read: async (_collections, name) => {
      reads.push(name)
      return stored.has(name) ? `${name}!` : undefined
    },
    ...(create !== undefined && { create }),
  })
  return { fact, reads }
}

test('a lookup has the name and the parameters in its key, or a shorter key of its own', () => {
  const { fact } = factOf(new Set())
  expect(fact.lookup('red')).toEqual({ where: 'worker', isFact: true, key: 'color "red"', name: 'color', parameters: 'red' })
  const short = defineFact<string, null>({ name: 'c', keyOf: (name) => name, absent: null, read: async () => null })
  expect(short.lookup('red').key).toBe('red')
})

test('a fact is remembered if it has an object, until the collection changes', async () => {
  const { fact, reads } = factOf(new Set(['red']))
  const cache = new ReadCache()
  const host: FactReader = { collections, createDefaultAccount, remember: (...args) => cache.find(...args) }
  expect([await fact.find(host, 'red'), await fact.find(host, 'red'), reads.length]).toEqual(['red!', 'red!', 1])
  expect([await fact.find(host, 'blue'), await fact.find(host, 'blue'), reads.length]).toEqual([null, null, 3])
  cache.invalidate('colors')
  expect([await fact.find(host, 'red'), reads.length]).toEqual(['red!', 4])
})

test('an object that is missing may be made; then the fact is read again', async () => {
  const stored = new Set<string>()
  const host: FactReader = { collections, createDefaultAccount }
  const { fact, reads } = factOf(stored, async (_host, name) => name === 'red' && stored.add(name).has(name))
  expect([await fact.find(host, 'red'), reads.length]).toEqual(['red!', 2])
  expect([await fact.find(host, 'blue'), reads.length]).toEqual([null, 3])
})
