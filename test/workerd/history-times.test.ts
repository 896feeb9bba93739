/** The version of a store at a time, and compaction that keeps a time. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SqliteStore } from '../../src/storage/sqlite-store.ts'
import { newStore } from './stores.ts'

const prefix = 'configmaps/default/'

/** Writes or removes an object. Returns the version. */
const change = (store: SqliteStore, name: string, kind: 'put' | 'remove'): Promise<number> =>
  store.write((transaction) => {
    const resourceVersion = transaction.nextResourceVersion()
    const stored = {
      key: prefix + name,
      resourceVersion,
      labels: '',
      value: `{"metadata":{"resourceVersion":"${resourceVersion}"}}`,
    }
    if (kind === 'put') transaction.put(stored)
    else if (transaction.get(stored.key) !== undefined) transaction.remove(stored)
    return resourceVersion
  })

const namesAt = (store: SqliteStore, resourceVersion: number): string[] =>
  store.list({ prefix, limit: 100, resourceVersion }).items.map(({ key }) => key.slice(prefix.length))

const writes = fc.array(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    kind: fc.constantFrom('put' as const, 'remove' as const),
    pause: fc.nat({ max: 5 }),
  }),
  { maxLength: 25 },
)

describe('A store at a time', () => {
  test('has the objects of that time, in lists and alone, also after compaction of everything before it', async () => {
    await fc.assert(
      fc.asyncProperty(writes, fc.nat({ max: 100 }), async (steps, kept) => {
        let now = 1_000_000
        const store = newStore({ historySeconds: 0, historyEvents: 0, now: () => now })
        const states: { at: number; names: string[] }[] = []
        await store.run(async (opened) => {
          const names = new Set<string>()
          for (const { name, kind, pause } of steps) {
            now += pause
            await change(opened, name, kind)
            if (kind === 'put') names.add(name)
            else names.delete(name)
            states.push({ at: now, names: [...names].sort() })
          }
          const keptFrom = 1_000_000 + kept
          while (opened.compact(now + 1000, keptFrom));
          for (let at = Math.max(keptFrom, 1_000_000); at <= now; at++) {
            const version = opened.versionAt(at)
            const expected = states.findLast((state) => state.at <= at)?.names ?? []
            expect(namesAt(opened, version)).toEqual(expected)
            const alone = ['a', 'b', 'c'].filter((name) => opened.getAt(prefix + name, version) !== undefined)
            expect(alone).toEqual(expected)
          }
        })
      }),
      { numRuns: 60 },
    )
  })

  test('is expired before its history [H7]', async () => {
    let now = 1_000_000
    await newStore({ historySeconds: 0, historyEvents: 0, now: () => now }).run(async (store) => {
      for (let i = 0; i < 5; i++) {
        now += 10
        await change(store, 'a', 'put')
      }
      while (store.compact(now + 1000, now - 15));
      expect(() => store.versionAt(now - 25)).toThrow('too old')
      expect(store.getAt(`${prefix}a`, store.versionAt(now - 15))).toBeDefined()
    })
  })

  test('does not change any more: the clock goes on from every time that was asked for or told [H6]', async () => {
    const now = 1_000_000
    await newStore({ now: () => now }).run(async (store) => {
      await change(store, 'a', 'put')
      const version = store.versionAt(now)
      await change(store, 'b', 'put')
      expect(store.versionAt(now)).toBe(version)
      store.notBefore(now + 500)
      await change(store, 'c', 'put')
      expect(namesAt(store, store.versionAt(now + 499))).toEqual(['a', 'b'])
      expect(namesAt(store, store.versionAt(now + 500))).toEqual(['a', 'b', 'c'])
    })
  })
})
