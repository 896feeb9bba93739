import { expect, test, vi } from 'vitest'
import {
  type Lookup,
  LookupResults,
  MissingLookups,
  type ObjectLookup,
  resolveInObject,
  type WorkerLookup,
  withLookups,
} from './lookups.ts'

const exhausted = (): Error => new Error('exhausted')

/** Lookups of this object that note when they are resolved and released. */
function notedLookups(): { readonly log: string[]; readonly lookup: (key: string) => ObjectLookup<string> } {
  const log: string[] = []
  const lookup = (key: string): ObjectLookup<string> => ({
    where: 'object',
    key,
    resolve: async () => {
      log.push(`resolve ${key}`)
      return { result: `<${key}>`, release: () => void log.push(`release ${key}`) }
    },
  })
  return { log, lookup }
}

const workerLookup = (key: string): WorkerLookup<string> => ({ where: 'worker', key, name: key, parameters: {} })

/** Runs work whose lookups this object resolves. */
function run<T>(work: (results: LookupResults) => T): Promise<T> {
  const results = new LookupResults()
  return withLookups(async () => work(results), { resolve: (missing) => resolveInObject(missing, results), exhausted })
}

test('work runs again each time that a missing lookup has been resolved, and results are released at its end', async () => {
  const { log, lookup } = notedLookups()
  const text = await run((results) => {
    log.push('run')
    return results.get(lookup('a')) + results.get(lookup('b')) + results.get(lookup('a'))
  })
  expect(text).toBe('<a><b><a>')
  expect(log).toEqual(['run', 'resolve a', 'run', 'resolve b', 'run', 'release a', 'release b'])
})

test('lookups that are required together are resolved together', async () => {
  const { log, lookup } = notedLookups()
  const all: readonly Lookup<string>[] = ['a', 'b', 'c'].map(lookup)
  const texts = await run((results) => {
    log.push('run')
    results.require(all)
    return all.map((each) => results.get(each))
  })
  expect(texts).toEqual(['<a>', '<b>', '<c>'])
  expect(log.filter((line) => line === 'run').length).toBe(2)
})

test('results that came with the operation need no second run', async () => {
  const results = new LookupResults({ a: 1, b: null })
  expect(results.get({ ...workerLookup('a') })).toBe(1)
  expect(results.get({ ...workerLookup('b') })).toBe(null)
  expect(() => results.get(workerLookup('c'))).toThrow(MissingLookups)
  // Keys are any text of a client, and never those of a prototype.
  expect(() => results.get(workerLookup('constructor'))).toThrow(MissingLookups)
})

test('a lookup that fails refuses the work, and releases the others', async () => {
  const { log, lookup } = notedLookups()
  const fails: ObjectLookup<string> = { where: 'object', key: 'f', resolve: () => Promise.reject(new Error('gone')) }
  const work = run((results) => {
    results.get(lookup('a'))
    results.require([lookup('b'), fails, lookup('c')])
  })
  await expect(work).rejects.toThrow('gone')
  expect(log.filter((line) => line.startsWith('release')).sort()).toEqual(['release a', 'release b', 'release c'])
})

test('work that fails releases its results', async () => {
  const { log, lookup } = notedLookups()
  const work = run((results) => {
    results.get(lookup('a'))
    throw new Error('invalid')
  })
  await expect(work).rejects.toThrow('invalid')
  expect(log).toEqual(['resolve a', 'release a'])
})

test('lookups of the Worker leave the object, those of the object are resolved before them', async () => {
  const { log, lookup } = notedLookups()
  const work = run((results) => results.require([workerLookup('w'), lookup('a')]))
  await expect(work).rejects.toMatchObject({ ofWorker: [workerLookup('w')], ofObject: [] })
  expect(log).toEqual(['resolve a', 'release a'])
})

test('work that needs another lookup each time ends after a bounded number of attempts', async () => {
  let attempts = 0
  const { lookup } = notedLookups()
  await expect(run((results) => results.get(lookup(String(++attempts))))).rejects.toThrow('exhausted')
  expect(attempts).toBe(50)
})

test('nothing is resolved after the deadline of the request', async () => {
  vi.useFakeTimers({ now: 1000 })
  try {
    let resolved = 0
    const work = withLookups(() => Promise.reject(new MissingLookups([workerLookup('w')])), {
      resolve: async () => {
        resolved++
        vi.setSystemTime(3000)
        return () => undefined
      },
      exhausted,
      deadline: 2000,
    })
    await expect(work).rejects.toThrow('exhausted')
    expect(resolved).toBe(1)
  } finally {
    vi.useRealTimers()
  }
})

test('work goes on from the missing lookups of a first attempt elsewhere', async () => {
  const resolved: string[] = []
  const work = withLookups(async () => resolved.join(), {
    resolve: async ({ lookups }) => {
      resolved.push(...lookups.map(({ key }) => key))
      return () => undefined
    },
    exhausted,
    first: new MissingLookups([workerLookup('a'), workerLookup('b')]),
  })
  expect(await work).toBe('a,b')
})
