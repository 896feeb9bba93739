/**
 * Garbage collection by owner references. Follows "Garbage Collection" of the Kubernetes documentation, and the garbage collector
 * of kube-controller-manager in its visible behaviour. Every collection keeps an index of the owners of its objects. It looks up
 * an owner once, when the first object refers to it; from then on the owner's collection notifies it of deletions. Collections
 * notify only their subscribers.
 */

import type { Kind } from '../../catalog/kind.ts'
import { type OwnerAnswers, type OwnerMessage, placeText } from '../../clusters/owner-messages.ts'
import { placementNamed, placementOf } from '../../clusters/placement.ts'
import { noSubscriptions, type OwnerSubscriptions } from '../../registry/owners.ts'
import { selectNextDue } from '../../storage/owner-statements.ts'
import { indexOwners } from '../../storage/owners.ts'
import type { StoreEvent } from '../../storage/store.ts'
import type { AlarmPart } from '../alarms.ts'
import type { Kernel } from '../kernel.ts'
import type { CollectorContext } from './context.ts'
import { DependentIndex } from './dependent-index.ts'
import { eventReporter } from './events.ts'
import { KnownKinds } from './known-kinds.ts'
import { OwnerIndex } from './owner-index.ts'
import { OwnerQueries } from './owner-queries.ts'
import { sendToPlace } from './send.ts'

/** The prefix of objects outside of the owner graph, which the upstream collector ignores too. */
const ignored = 'events/'

/** Changes within this time are processed together, in milliseconds. */
const gatheringMilliseconds = 25

/** The garbage collector of one Durable Object. */
export class GarbageCollector implements AlarmPart {
  readonly name = 'garbage-collector'
  readonly #kernel: Kernel
  readonly #owners: OwnerIndex
  readonly #dependents: DependentIndex
  readonly #queries: OwnerQueries
  /** Whether garbage collection is enabled here; an external controller may do it instead. Owners are indexed in both cases. */
  readonly #collects: boolean
  /** The time of the next work; 'unknown' if the database has to be queried. */
  #due: number | undefined | 'unknown' = 'unknown'

  /** @param customKind returns the kind of the custom resources with this prefix, if the object holds them */
  constructor(kernel: Kernel, customKind: (prefix: string) => Kind | undefined) {
    this.#kernel = kernel
    const { name, cluster, placement, database, registry, client, now } = kernel
    this.#collects = kernel.controllers.has('garbage-collector-controller')
    const place = placeText(placementNamed(name))
    const context: CollectorContext = {
      get sql() {
        return database.sql
      },
      registry,
      kinds: new KnownKinds(client, customKind, () => registry.resourceConfig?.()),
      writes: kernel.writesOf('generic-garbage-collector'),
      place,
      placeOf: (storage) => placeText(placementOf(cluster, placement, storage)),
      send: async (to, message) => (to === place ? this.#answer(message) : await sendToPlace(client, to, message)),
      report: eventReporter(client, now),
    }
    this.#owners = new OwnerIndex(context)
    this.#dependents = new DependentIndex(context, (prefix) => this.#owners.placesOf(prefix))
    this.#queries = new OwnerQueries(context)
  }

  /** The subscriptions that the registry checks before it stores an object with owners. */
  get owners(): OwnerSubscriptions {
    return this.#collects ? this.#queries : noSubscriptions
  }

  /** Indexes a change within its commit. */
  changed(event: StoreEvent): void {
    if (event.object.key.startsWith(ignored)) return
    const due = this.#kernel.now() + gatheringMilliseconds
    const indexed = indexOwners(this.#kernel.database.sql, event, due)
    const noted = this.#owners.changed(event, due)
    if (!this.#collects || (!indexed && !noted)) return
    if (this.#due === undefined || (this.#due !== 'unknown' && due < this.#due)) this.#due = due
    void this.#kernel.alarms.arm()
  }

  /** Records that a place holds dependents of a collection's objects, which were copied from another cluster. */
  introduce(place: string, collection: string): void {
    this.#owners.introduce(place, [collection])
  }

  /** Returns the time of the next work; undefined if no work is expected. */
  nextAlarm(): number | undefined {
    if (!this.#collects) return undefined
    if (this.#due === 'unknown') this.#due = selectNextDue(this.#kernel.database.sql)
    return this.#due
  }

  /** Answers a message of another Durable Object after its effects are durable. */
  async receive(message: OwnerMessage): Promise<OwnerAnswers[OwnerMessage['do']]> {
    const answer = this.#answer(message)
    await this.#kernel.ctx.storage.sync()
    this.#due = 'unknown'
    void this.#kernel.alarms.arm()
    return answer
  }

  /** Does a limited part of the work that is due. */
  async work(now: number): Promise<void> {
    const next = this.nextAlarm()
    if (next === undefined || next > now) return
    try {
      await this.#queries.work(now)
      await this.#dependents.work(now)
      await this.#owners.work(now)
    } finally {
      this.#due = 'unknown'
    }
  }

  #answer<M extends OwnerMessage>(message: M): OwnerAnswers[M['do']]
  #answer(message: OwnerMessage): OwnerAnswers[OwnerMessage['do']] {
    const now = this.#kernel.now()
    this.#due = 'unknown'
    switch (message.do) {
      case 'introduce':
        this.#owners.introduce(message.place, message.prefixes)
        return null
      case 'ask':
        return this.#owners.ask(message.place, message.owners, now)
      case 'tell':
        return this.#dependents.ownersDeleted(message.place, message.phase, message.uids, now)
      case 'done':
        this.#owners.done(message.place, message.uid, message.phase, now)
        return null
      case 'count':
        return this.#dependents.count(message.uids)
    }
  }
}
