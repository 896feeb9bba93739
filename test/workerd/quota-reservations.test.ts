/**
 * The protocol of quota reservations, with its real parts on real storage. Messages between the control object and a collection are
 * delayed and lost at random, writes fail at random, and either side restarts at random.
 */

import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { kindOf } from '../../src/catalog/scheme.ts'
import type { QuotaAnswer } from '../../src/clusters/quota-messages.ts'
import { readAdmissionSettings } from '../../src/config/admission/settings.ts'
import type { Kernel } from '../../src/controllers/kernel.ts'
import { CollectionUsage } from '../../src/controllers/resource-quota/collection-usage.ts'
import type { QuotaControl } from '../../src/controllers/resource-quota/quota-control.ts'
import { QuotaController } from '../../src/controllers/resource-quota/wiring.ts'
import { randomNames } from '../../src/registry/name-generator.ts'
import type { Registry } from '../../src/registry/registry.ts'
import type { SqliteStore } from '../../src/storage/sqlite-store.ts'
import type { Store, StoreEvent } from '../../src/storage/store.ts'
import { newStore } from './stores.ts'

const range = 'secrets/a/'
const quotaKey = 'resourcequotas/a/q'
const facts = { usage: { 'count/secrets': '1', secrets: '1' } }
const request = { collection: 'secrets', namespace: 'a', subresource: '', facts }

interface QuotaObject {
  readonly status: { readonly hard?: Record<string, string>; readonly used?: Record<string, string> }
}

/** The time until a part restarts. */
interface Life {
  ended: boolean
}

/** Returns the object as a part sees it that must have no effect after its restart. */
function mortal<T extends object>(of: T, life: Life): T {
  return new Proxy(of, {
    get: (target, name) => {
      if (life.ended) throw new Error('restarted')
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value === 'function') return value.bind(target) as unknown
      return typeof value === 'object' && value !== null ? mortal(value, life) : value
    },
  })
}

/** A cluster with one quota and one collection, both in the store of one Durable Object. */
class Cluster {
  readonly store: SqliteStore
  readonly #storage: DurableObjectStorage
  readonly #random: () => number
  #now = 1_000_000
  #lifeOfCollection: Life = { ended: false }
  #lifeOfControl: Life = { ended: false }
  /** Resolves when the control object has started. */
  #started = Promise.resolve()
  #usage: CollectionUsage
  #controller: QuotaController
  readonly #interrupts: (() => void)[] = []
  readonly #running = new Set<Promise<unknown>>()

  constructor(store: SqliteStore, storage: DurableObjectStorage, random: () => number) {
    this.store = store
    this.#storage = storage
    this.#random = random
    this.#usage = this.#newUsage()
    this.#controller = this.#newController()
  }

  changed(event: StoreEvent): void {
    this.#usage.changed(event)
    this.#controller.changed(event)
  }

  get objects(): number {
    return this.store.countAfter(range, '', this.store.resourceVersion)
  }

  get used(): number {
    const { status } = JSON.parse(this.store.get(quotaKey)?.value ?? '{"status":{}}') as QuotaObject
    return Number(status.used?.secrets ?? '-1')
  }

  /** The time of the next work; undefined if no work is due. */
  get nextAlarm(): number | undefined {
    return this.#usage.nextAlarm() ?? this.#controller.nextAlarm()
  }

  #registry(): Registry {
    return {
      store: this.store,
      kindOf,
      now: () => this.#now,
      names: randomNames,
      serviceCidr: '10.0.0.0/16',
      admissionSettings: readAdmissionSettings({}),
      owners: { isSubscribed: () => true, subscribe: async () => {} },
      admissionConfiguration: () => Promise.reject(new Error('no policies')),
      currentAdmission: () => Promise.reject(new Error('no policies')),
    }
  }

  /** Sends a message, which is interrupted if either side restarts. */
  #message<T>(send: () => Promise<T>): Promise<T> {
    return Promise.race([
      this.#delayed(send),
      new Promise<never>((_, reject) => this.#interrupts.push(() => reject(new Error('the connection was lost')))),
    ])
  }

  #interrupt(): void {
    for (const interrupt of this.#interrupts.splice(0)) interrupt()
  }

  /** Delays a message by some turns. One in ten is lost, before or after its effect. */
  async #delayed<T>(send: () => Promise<T>): Promise<T> {
    const turns = Math.floor(this.#random() ** 3 * 30)
    for (let turn = 0; turn < turns; turn++) await this.turn()
    const fate = this.#random()
    if (fate < 0.05) throw new Error('the message was lost')
    await this.#started
    const answer = await send()
    for (let turn = 0; turn < turns; turn++) await this.turn()
    if (fate > 0.95) throw new Error('the answer was lost')
    return answer
  }

  /** Lets messages and writes proceed by one step. */
  turn(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, 0))
  }

  #newUsage(): CollectionUsage {
    const life = { ended: false }
    this.#lifeOfCollection.ended = true
    this.#lifeOfCollection = life
    const control: QuotaControl = {
      reserve: (message) => this.#message(() => this.#controller.reserve(message)),
      release: (reservation) => this.#message(() => this.#controller.release(reservation)),
      recount: (ranges) => this.#message(() => this.#controller.recount(ranges)),
    }
    const storage = mortal(this.#storage, life)
    return new CollectionUsage(this.#kernel(storage, this.store), control)
  }

  #newController(): QuotaController {
    const life = { ended: false }
    this.#lifeOfControl.ended = true
    this.#lifeOfControl = life
    const kernel = this.#kernel(mortal(this.#storage, life), mortal(this.store, life))
    return new QuotaController(kernel, {
      presenceOf: () => 'held',
      ask: (_, question) => this.#message(() => this.#usage.answer(question)),
    })
  }

  /** Returns the kernel of a part that may end before the test. */
  #kernel(storage: DurableObjectStorage, store: Store): Kernel {
    const kernel = {
      ctx: { storage, waitUntil: (work: Promise<unknown>) => this.#track(work) },
      store,
      registry: { ...this.#registry(), store },
      now: () => this.#now,
      alarms: { arm: async () => undefined },
      controllers: new Set(['resourcequota-controller']),
    }
    return kernel as unknown as Kernel
  }

  #track(work: Promise<unknown>): void {
    const settled = work.catch(() => undefined).finally(() => this.#running.delete(settled))
    this.#running.add(settled)
  }

  /** Loses what the collection has in memory, with the operations that wait there. */
  restartCollection(): void {
    this.#usage = this.#newUsage()
    this.#interrupt()
  }

  restartControl(): void {
    this.#interrupt()
    this.#controller = this.#newController()
    // Writes from before the restart are stored or lost when the object starts.
    this.#started = this.store.write(() => undefined).then(() => this.#controller.start())
    this.#track(this.#started)
  }

  async makeQuota(hard: number): Promise<void> {
    await this.store.write((transaction) => {
      const resourceVersion = transaction.nextResourceVersion()
      const metadata = {
        name: 'q',
        namespace: 'a',
        uid: 'u',
        creationTimestamp: '2026-01-01T00:00:00Z',
        resourceVersion: String(resourceVersion),
      }
      const quota = { metadata, spec: { hard: { secrets: String(hard) } }, status: {} }
      transaction.put({ key: quotaKey, resourceVersion, labels: '', value: JSON.stringify(quota) })
    })
  }

  /** Creates an object as a client does: the reservation, a delay, and then the commit, which may fail. */
  create(name: string, fails: boolean): void {
    this.#track(this.#create(name, fails))
  }

  async #create(name: string, fails: boolean): Promise<void> {
    const usage = this.#usage
    let reserved: QuotaAnswer = {}
    let release = (): void => undefined
    if (usage.isLimited('secrets', 'a')) {
      const resolved = await usage.lookup(request, false).resolve()
      reserved = resolved.result
      release = resolved.release ?? release
    }
    for (let turns = Math.floor(this.#random() ** 3 * 30); turns > 0; turns--) await this.turn()
    try {
      await this.store.write((transaction) => {
        // A collection that has restarted has forgotten the operations of before.
        if (usage !== this.#usage || reserved.refusal !== undefined || fails) throw new Error('refused')
        const { reservation } = reserved
        if (reservation === undefined && usage.isLimited('secrets', 'a')) throw new Error('a reservation is needed')
        if (reservation !== undefined && !usage.isUsable(reservation)) throw new Error('too late')
        const key = range + name
        if (transaction.get(key) !== undefined) throw new Error('exists')
        if (reservation !== undefined) transaction.alongside(() => usage.use(reservation, key.slice(0, key.indexOf('/')), key))
        const resourceVersion = transaction.nextResourceVersion()
        transaction.put({ key, resourceVersion, labels: '', value: JSON.stringify({ metadata: { name } }) })
      })
    } finally {
      if (usage === this.#usage) release()
    }
  }

  remove(name: string): void {
    this.#track(
      this.store.write((transaction) => {
        const existing = transaction.get(range + name)
        if (existing !== undefined) transaction.remove({ ...existing, resourceVersion: transaction.nextResourceVersion() })
      }),
    )
  }

  /** Lets time pass, and does the work of the alarms. */
  work(milliseconds: number): void {
    this.#now += milliseconds
    this.#track(this.#usage.work(this.#now))
    this.#track(this.#started.then(() => this.#controller.work(this.#now)))
  }

  /** Waits until nothing runs any more. */
  async rest(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet++) {
      if (this.#running.size > 0) quiet = 0
      await Promise.all([...this.#running])
      await this.turn()
    }
  }
}

type Step = 'create' | 'fail' | 'remove' | 'work' | 'late' | 'wait' | 'collection' | 'control'

const steps = fc.array(
  fc.record({
    step: fc.constantFrom<Step>(
      'create',
      'create',
      'create',
      'create',
      'fail',
      'remove',
      'remove',
      'work',
      'late',
      'wait',
      'collection',
      'control',
    ),
    name: fc.integer({ min: 0, max: 7 }),
  }),
  { minLength: 20, maxLength: 60 },
)

async function perform(cluster: Cluster, { step, name }: { readonly step: Step; readonly name: number }): Promise<void> {
  if (step === 'create' || step === 'fail') cluster.create(String(name), step === 'fail')
  else if (step === 'remove') cluster.remove(String(name))
  else if (step === 'work') cluster.work(500)
  else if (step === 'late') cluster.work(31_000)
  else if (step === 'collection') cluster.restartCollection()
  else if (step === 'control') cluster.restartControl()
  else await cluster.rest()
}

// Lost messages are logged, and here they are the rule.
vi.spyOn(console, 'error').mockImplementation(() => undefined)

describe('reservations of quota', () => {
  test('never let objects exceed the quota, and the use is exact after failures, lost messages and restarts', () =>
    fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), fc.integer(), async (schedule, hard, seed) => {
        let changed = (_event: StoreEvent): void => undefined
        await newStore({ changed: (event) => changed(event) }).run(async (store, { storage }) => {
          const generator = { state: seed >>> 0 }
          const random = (): number => {
            generator.state = (Math.imul(generator.state, 1_664_525) + 1_013_904_223) >>> 0
            return generator.state / 2 ** 32
          }
          const cluster = new Cluster(store, storage, random)
          changed = (event) => cluster.changed(event)
          await cluster.makeQuota(hard)
          for (let turn = 0; turn < 50 && cluster.used < 0; turn++) {
            await cluster.rest()
            cluster.work(3000)
          }
          expect(cluster.used).toBe(0)
          for (const step of schedule) {
            await perform(cluster, step)
            await cluster.turn()
            expect(cluster.objects).toBeLessThanOrEqual(hard)
          }
          for (let turn = 0; turn < 40; turn++) {
            await cluster.rest()
            expect(cluster.objects).toBeLessThanOrEqual(hard)
            cluster.work(20_000)
          }
          await cluster.rest()
          expect(cluster.used).toBe(cluster.objects)
          expect(cluster.nextAlarm).toBe(undefined)
        })
      }),
      { numRuns: 30, endOnFailure: true },
    ))
})
