/**
 * The watch guarantees of etcd under random writes, lists, compactions, slow readers, lost connections and restarts: events are
 * ordered, unique and reliable, operations atomic, watches resumable and bookmarks correct.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Store } from '../../src/storage/store.ts'
import type { WatchOptions } from '../../src/storage/watcher.ts'
import { type Connection, Informer, type InformerOptions, selects } from '../contract/informer.ts'
import { type Command, commandGroups, listAll, listAllJoined, Model, writeGroup } from '../contract/store-model.ts'
import { newStore } from './stores.ts'

/** One step of a test run. Numbers choose among the items that exist at that time. */
type Step =
  | { readonly do: 'write'; readonly group: Command[] }
  | { readonly do: 'list'; readonly version: number; readonly prefix: string; readonly labelled: boolean }
  | { readonly do: 'inform'; readonly options: InformerOptions }
  | { readonly do: 'pause' | 'resume' | 'disconnect'; readonly which: number }
  | { readonly do: 'compact' | 'turn' | 'restart' }

const prefixes = fc.constantFrom('pods/', 'pods/', 'pods/a/', 'nodes/')
const places: fc.Arbitrary<Pick<InformerOptions, 'prefix' | 'key'>> = fc.oneof(
  fc.record({ prefix: prefixes }),
  fc.constant({ prefix: 'pods/', key: 'pods/a/x' }),
)
const options: fc.Arbitrary<InformerOptions> = fc
  .tuple(places, fc.record({ labelled: fc.boolean(), initialEvents: fc.boolean(), openings: fc.boolean() }))
  .map(([place, others]) => ({ ...place, ...others }))
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: commandGroups.map((groups): Step => ({ do: 'write', group: groups.flat() })) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('list'), version: fc.nat(30), prefix: prefixes, labelled: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('inform'), options }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('pause', 'resume', 'disconnect'), which: fc.nat(10) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('compact', 'turn', 'restart') }) },
) as fc.Arbitrary<Step>

/** Limits so small that few events exceed them. */
const watchOptions: fc.Arbitrary<Partial<WatchOptions>> = fc.record({
  heartbeatMilliseconds: fc.constant(4),
  bookmarkMilliseconds: fc.constantFrom(4, 8),
  backlogBytes: fc.constantFrom(100, 300, 300, 1_000_000),
  recentBytes: fc.constantFrom(0, 1_500, 1_000_000),
})

const eventText = (type: string, key: string, resourceVersion: number): string => `${type} ${key} ${resourceVersion}`

/** Returns the events that an informer must get after a version. */
function expectedAfter(model: Model, part: InformerOptions, after: number): string[] {
  return model.events.flatMap(({ type, object, previous }) => {
    if (object.resourceVersion <= after) return []
    const was = previous !== undefined && selects(part, previous)
    const is = type !== 'DELETED' && selects(part, object)
    if (!was && !is) return []
    return [eventText(was && is ? 'MODIFIED' : is ? 'ADDED' : 'DELETED', object.key, object.resourceVersion)]
  })
}

const versionOf = (event: string): number => Number(event.split(' ')[2])

/** Checks that a connection sent the events of the model, in order, and none is missing before a bookmark. */
function checkConnection(model: Model, part: InformerOptions, { from, listed, sent }: Connection): void {
  const state = model.at(from).filter((object) => selects(part, object))
  const initial = sent.filter(({ type }) => type === 'INITIAL')
  const atStart = state.map(({ key, resourceVersion }) => eventText('INITIAL', key, resourceVersion))
  if (listed !== undefined && !part.initialEvents) {
    expect([...listed].map(([key, version]) => eventText('INITIAL', key, version))).toEqual(atStart)
  }
  if (listed !== undefined && part.initialEvents) {
    const complete = sent.length > initial.length
    expect(initial.map((s) => eventText(s.type, s.key, s.resourceVersion))).toEqual(
      complete ? atStart : atStart.slice(0, initial.length),
    )
  }
  expect(sent.map(({ opening }) => opening)).toEqual(sent.map((_, index) => part.openings && index === 0))
  let expected = expectedAfter(model, part, from)
  let position = from
  for (const { type, key, resourceVersion } of sent) {
    if (type === 'INITIAL') continue
    if (type === 'BOOKMARK') {
      expect(resourceVersion).toBeGreaterThanOrEqual(position)
      expect(expected.filter((event) => versionOf(event) <= resourceVersion)).toEqual([])
    } else {
      expect(eventText(type, key, resourceVersion)).toBe(expected[0])
      expected = expected.slice(1)
    }
    position = resourceVersion
  }
}

function checkList(store: Store, model: Model, { version, prefix, labelled }: Extract<Step, { do: 'list' }>): void {
  const oldest = Math.max(1, store.compactedResourceVersion)
  const resourceVersion = Math.max(oldest, store.resourceVersion - version)
  const state = model.at(resourceVersion).filter(({ key }) => key.startsWith(prefix))
  const request = { prefix, limit: 2, resourceVersion }
  expect(listAllJoined(store, request)).toEqual(state.map(({ value }) => JSON.parse(value)))
  const marks = labelled ? { labels: ['"on":"yes"'], keyEnd: '' } : undefined
  expect(listAll(store, { ...request, indexHints: marks })).toEqual(state.filter(({ labels }) => !labelled || labels !== ''))
}

/** Executes the steps; `informers` survive restarts. */
class Run {
  readonly model = new Model()
  readonly informers: Informer[] = []
  #running: Promise<void>[] = []
  #failed: unknown

  /** Runs until the end of the steps, or a restart. */
  async segment(store: Store, steps: readonly Step[], last: boolean): Promise<void> {
    for (const informer of this.informers) this.#start(store, informer)
    for (const next of steps) await this.#step(store, next)
    if (last) await this.#settle(store)
    for (const informer of this.informers) await informer.stop()
    await Promise.all(this.#running)
    if (this.#failed !== undefined) throw this.#failed
    this.#running = []
    for (const { options: part, connections } of this.informers) {
      for (const connection of connections) checkConnection(this.model, part, connection)
    }
  }

  #start(store: Store, informer: Informer): void {
    const running = informer.run(store).catch((error: unknown) => {
      this.#failed ??= error
    })
    this.#running.push(running)
  }

  async #settle(store: Store): Promise<void> {
    const all = this.informers.map((informer) => {
      informer.resume()
      return informer.reached(store.resourceVersion)
    })
    const late = new Promise<void>((_, reject) => setTimeout(() => reject(new Error('an informer lags for good')), 2_000))
    await Promise.race([Promise.all(all), late])
  }

  async #step(store: Store, next: Step): Promise<void> {
    const chosen = 'which' in next ? this.informers[next.which % Math.max(1, this.informers.length)] : undefined
    switch (next.do) {
      case 'write':
        return writeGroup(store, this.model, next.group)
      case 'list':
        return checkList(store, this.model, next)
      case 'inform': {
        const informer = new Informer(next.options)
        this.informers.push(informer)
        return this.#start(store, informer)
      }
      case 'pause':
        return chosen?.pause()
      case 'resume':
        return chosen?.resume()
      case 'disconnect':
        await chosen?.stop()
        return chosen && this.#start(store, chosen)
      case 'compact':
        store.compact(0)
        return
      case 'turn':
        return new Promise((resolve) => setTimeout(resolve, 0))
      case 'restart':
        return
    }
  }
}

/** Splits the steps at restarts. */
function segmentsOf(steps: readonly Step[]): Step[][] {
  const segments: Step[][] = [[]]
  for (const next of steps) {
    if (next.do === 'restart') segments.push([])
    else segments.at(-1)?.push(next)
  }
  return segments
}

test(
  'watches are ordered, unique, reliable, resumable and bookmarkable, and lists agree with them [W2, W3, W15]',
  { timeout: 120_000 },
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 40 }),
        fc.constantFrom(0, 0, 1, 5, 20),
        watchOptions,
        async (steps, historyEvents, watch) => {
          const handle = newStore({ historySeconds: 0, historyEvents, now: () => 0, watch })
          const run = new Run()
          const segments = segmentsOf(steps)
          for (const [index, segment] of segments.entries()) {
            const last = index === segments.length - 1
            await handle.run((store) => run.segment(store, segment, last))
            if (!last) await handle.evict()
          }
        },
      ),
      { numRuns: 300 },
    ),
)
