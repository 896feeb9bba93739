import { afterEach, expect, test, vi } from 'vitest'
import { MissingLookups, type Release, resolveInObject } from '../../meta/lookups.ts'
import { type Conversion, ConversionCache } from './conversion-cache.ts'

/** Makes a cache whose conversions are recorded as `v1>v2 a,b`. */
function noted(): { readonly known: ConversionCache; readonly calls: string[] } {
  const calls: string[] = []
  const known = new ConversionCache(async (from, to, objects) => {
    calls.push(`${from}>${to} ${objects.length > 3 ? objects.length : objects.join()}`)
    return objects.map((text) => `${text}!`)
  })
  return { known, calls }
}

const way = (object: string, from = 'v1'): Conversion => ({ from, to: 'v2', object })

afterEach(() => vi.useRealTimers())

async function fetched(work: () => unknown): Promise<Release> {
  try {
    work()
  } catch (error) {
    if (!(error instanceof MissingLookups)) throw error
    return resolveInObject(error)
  }
  throw new Error('no lookup was missing')
}

test('an unknown conversion throws Pending, and is cached after the fetch', async () => {
  const { known, calls } = noted()
  await fetched(() => known.get(way('a')))
  expect(known.get(way('a'))).toBe('a!')
  expect(calls).toEqual(['v1>v2 a'])
  expect(() => known.get(way('a', 'v3'))).toThrow(MissingLookups)
})

test('many conversions share one webhook call, without those that are cached', async () => {
  const { known, calls } = noted()
  await fetched(() => known.require([way('a'), way('b')]))
  expect(await known.all([way('c'), way('a'), way('d'), way('b')])).toEqual(['c!', 'a!', 'd!', 'b!'])
  expect(calls).toEqual(['v1>v2 a,b', 'v1>v2 c,d'])
})

test('objects in different stored versions are sent in separate calls', async () => {
  const { known, calls } = noted()
  expect(await known.all([way('a'), way('b', 'v3'), way('c')])).toEqual(['a!', 'b!', 'c!'])
  expect(calls).toEqual(['v1>v2 a,c', 'v3>v2 b'])
})

test('a webhook call is limited in number and size of objects', async () => {
  const { known, calls } = noted()
  await known.all(Array.from({ length: 501 }, (_, i) => way(String(i))))
  expect(calls.length).toBe(2)
  const large = 'x'.repeat(3 * 1024 * 1024)
  calls.length = 0
  await known.all([way(`1${large}`), way(`2${large}`)])
  expect(calls.length).toBe(2)
})

test('the cache is limited: the least recently used entry is evicted, a new one is kept', async () => {
  const { known } = noted()
  const large = (name: string): Conversion => way(name + 'x'.repeat(5 * 1024 * 1024))
  await known.all([way('a')])
  await fetched(() => known.get(large('1')))
  await fetched(() => known.get(large('2')))
  expect(known.get(large('2'))).toContain('!')
  expect(() => known.get(large('1'))).toThrow(MissingLookups)
})

test('an answer is cached for a second, or until the operation that fetched it ends', async () => {
  vi.useFakeTimers()
  const { known } = noted()
  const release = await fetched(() => known.get(way('a')))
  vi.advanceTimersByTime(30_000)
  expect(known.get(way('a'))).toBe('a!')
  release()
  expect(() => known.get(way('a'))).toThrow(MissingLookups)
})

test("attempt() throws the webhook's failure in the second run, for this operation only", async () => {
  const known = new ConversionCache(() => Promise.reject(new Error('the webhook is down')))
  const release = await fetched(() => known.attempt(way('a')))
  expect(() => known.attempt(way('a'))).toThrow('the webhook is down')
  expect(() => known.get(way('a'))).toThrow(MissingLookups)
  release()
  expect(() => known.attempt(way('a'))).toThrow(MissingLookups)
})

test('a failed conversion is requested again', async () => {
  let fails = true
  const known = new ConversionCache(async (_from, _to, objects) => {
    if (fails) throw new Error('the webhook is down')
    return objects
  })
  await expect(fetched(() => known.get(way('a')))).rejects.toThrow('the webhook is down')
  fails = false
  await fetched(() => known.get(way('a')))
  expect(known.get(way('a'))).toBe('a')
})
